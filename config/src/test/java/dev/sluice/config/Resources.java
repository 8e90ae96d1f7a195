package dev.sluice.config;

import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Test documents, and the problems that reading them brings. */
public final class Resources {

  private Resources() {}

  public static String text(String name) {
    try (InputStream stream = Resources.class.getResourceAsStream(name)) {
      return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static List<Problem> problemsOf(ThrowingCallable call) {
    return catchThrowableOfType(SluiceException.Fatal.class, call).problems();
  }
}
