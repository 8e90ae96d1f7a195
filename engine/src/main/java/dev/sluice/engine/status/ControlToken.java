package dev.sluice.engine.status;

import dev.sluice.config.PrivateFile;
import dev.sluice.config.document.SluiceException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * The token that a request must carry to change something: a random text in a file of the data
 * directory that only the daemon's user can read. It protects the daemon against requests of web
 * pages and other users. Immutable.
 */
public final class ControlToken {
  /** The HTTP header that carries it. */
  public static final String HEADER = "X-Sluice-Token";

  private static final String FILE = "control-token";

  private final String text;

  private ControlToken(String text) {
    this.text = text;
  }

  /** Creates a token, which replaces the file of an earlier daemon. */
  public static ControlToken create(Path dataDirectory) {
    byte[] random = new byte[32];
    new SecureRandom().nextBytes(random);
    String text = HexFormat.of().formatHex(random);
    try {
      PrivateFile.replace(dataDirectory, FILE, text);
    } catch (IOException e) {
      throw new SluiceException.Fatal(
          "the token file in " + dataDirectory + " cannot be written: " + e, e);
    }
    return new ControlToken(text);
  }

  /** Reads the token of the daemon that runs on the directory. */
  public static ControlToken read(Path dataDirectory) {
    Path file = dataDirectory.resolve(FILE);
    try {
      return new ControlToken(Files.readString(file));
    } catch (IOException e) {
      throw new SluiceException.Fatal(
          "the token of the running daemon cannot be read from " + file + ": " + e, e);
    }
  }

  public String text() {
    return text;
  }

  /** Compares in constant time. */
  boolean matches(String shown) {
    return shown != null
        && MessageDigest.isEqual(
            text.getBytes(StandardCharsets.US_ASCII), shown.getBytes(StandardCharsets.US_ASCII));
  }

  @Override
  public String toString() {
    return "****";
  }
}
