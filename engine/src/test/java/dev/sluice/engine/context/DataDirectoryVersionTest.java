package dev.sluice.engine.context;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.document.SluiceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataDirectoryVersionTest {
  @TempDir Path directory;

  @Test
  void aDirectoryWithoutAVersionIsReadAndGetsTheVersionOnce() throws IOException {
    assertThat(DataDirectoryVersion.problem(directory.resolve("missing"))).isEmpty();
    assertThat(DataDirectoryVersion.problem(directory)).isEmpty();
    DataDirectoryVersion.write(directory);
    Path file = directory.resolve("version");
    assertThat(file).content().startsWith(DataDirectoryVersion.CURRENT + " ");
    Object written = Files.readAttributes(file, "unix:ino").get("ino");
    DataDirectoryVersion.write(directory);
    assertThat(Files.readAttributes(file, "unix:ino").get("ino")).isEqualTo(written);
    assertThat(DataDirectoryVersion.problem(directory)).isEmpty();
  }

  @Test
  void aNewerVersionIsRefusedAndNamesWhoWroteIt() throws IOException {
    Files.writeString(directory.resolve("version"), "2 9.1.0\n");
    assertThatThrownBy(() -> DataDirectoryVersion.require(directory))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("data-dir " + directory)
        .hasMessageContaining("version 2, written by Sluice 9.1.0")
        .hasMessageContaining("version 1 or earlier");
    assertThat(directory.resolve("version")).hasContent("2 9.1.0");
  }

  @Test
  void aFileThatIsNoVersionIsRefusedWithWhatIsInIt() throws IOException {
    Files.writeString(directory.resolve("version"), "a note of somebody\n");
    assertThatThrownBy(() -> DataDirectoryVersion.require(directory))
        .isInstanceOf(SluiceException.Fatal.class)
        .hasMessageContaining("'a note of somebody'");
  }
}
