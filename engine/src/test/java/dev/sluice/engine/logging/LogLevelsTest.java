package dev.sluice.engine.logging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import dev.sluice.config.document.SluiceException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LogLevelsTest {
  private final LoggerContext context = new LoggerContext();
  private final LogLevels levels = new LogLevels(context);

  @BeforeEach
  void asADaemonStarts() {
    context.getLogger("ROOT").setLevel(Level.WARN);
    context.getLogger("dev.sluice").setLevel(Level.INFO);
    context.getLogger("dev.sluice.sink.ApplyThread");
  }

  @Test
  void aPackageGetsALevelAndItsClassesLogByIt() {
    assertThat(levels.set(Map.of("dev.sluice.sink", "DEBUG")))
        .containsExactly("dev.sluice.sink info -> debug");
    assertThat(context.getLogger("dev.sluice.sink.ApplyThread").isDebugEnabled()).isTrue();
    assertThat(context.getLogger("dev.sluice.engine").isDebugEnabled()).isFalse();
    assertThat(levels.lines())
        .containsExactly(
            "root warn",
            "dev.sluice info",
            "dev.sluice.sink debug, that of its parent at the start");
  }

  @Test
  void rootIsAllOthers() {
    levels.set(Map.of("root", "error"));
    assertThat(context.getLogger("org.apache.kafka").isWarnEnabled()).isFalse();
    assertThat(context.getLogger("dev.sluice.sink").isInfoEnabled()).isTrue();
    assertThat(levels.lines()).contains("root error, warn at the start");
  }

  @Test
  void defaultIsTheLevelOfTheStartHoweverOftenItWasChanged() {
    levels.set(Map.of("dev.sluice", "debug"));
    levels.set(Map.of("dev.sluice", "trace"));
    levels.set(Map.of("dev.sluice.sink", "error"));
    assertThat(levels.set(Map.of("dev.sluice", "default")))
        .containsExactly("dev.sluice trace -> info");
    levels.set(Map.of("dev.sluice.sink", "default"));
    assertThat(levels.lines()).containsExactly("root warn", "dev.sluice info");
  }

  @Test
  void aNameBelowWhichNothingHasLoggedIsSaidToBeSo() {
    assertThat(levels.set(Map.of("dev.sluice.sinks", "debug")))
        .containsExactly(
            "dev.sluice.sinks info -> debug; nothing below this name has logged so far");
  }

  @Test
  void everyWrongNameAndLevelIsAProblemAndThenNothingChanges() {
    Map<String, String> wrong = new LinkedHashMap<>();
    wrong.put("dev.sluice.sink", "debug");
    wrong.put("dev/sluice", "info");
    wrong.put("dev.sluice.engine", "verbose");
    wrong.put("dev.sluice.load", "");
    assertThatThrownBy(() -> levels.set(wrong))
        .isInstanceOfSatisfying(
            SluiceException.Fatal.class, failure -> assertThat(failure.problems()).hasSize(3))
        .hasMessageContaining("logger dev/sluice: no name of a package")
        .hasMessageContaining("level of dev.sluice.engine: verbose; expected one of: off, error")
        .hasMessageContaining("level of dev.sluice.load: no level");
    assertThat(levels.lines()).containsExactly("root warn", "dev.sluice info");
  }
}
