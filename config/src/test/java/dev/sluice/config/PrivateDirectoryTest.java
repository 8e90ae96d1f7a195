package dev.sluice.config;

import static java.nio.file.attribute.PosixFilePermissions.fromString;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PrivateDirectoryTest {
  @TempDir Path folder;

  @Test
  void aNewDirectoryAndItsNewParentsAreClosedToOtherUsers() throws IOException {
    PrivateDirectory.make(folder.resolve("data/task/swap"));
    for (String made : new String[] {"data", "data/task", "data/task/swap"}) {
      assertThat(permissions(folder.resolve(made))).as(made).isEqualTo("rwx------");
    }
  }

  @Test
  void anOpenDirectoryIsClosedAndItsParentIsNotChanged() throws IOException {
    Path data = Files.createDirectory(folder.resolve("data"));
    Files.setPosixFilePermissions(data, fromString("rwxr-xr-x"));
    Path swap = Files.createDirectory(data.resolve("swap"));
    Files.setPosixFilePermissions(swap, fromString("rwxrwxrwx"));
    PrivateDirectory.make(swap);
    PrivateDirectory.makeMissing(data);
    assertThat(permissions(swap)).isEqualTo("rwx------");
    assertThat(permissions(data)).isEqualTo("rwxr-xr-x");
  }

  @Test
  void aDirectoryThatOthersMayUseIsNotChanged() throws IOException {
    Path theirs = Files.createDirectory(folder.resolve("theirs"));
    Files.setPosixFilePermissions(theirs, fromString("rwxr-xr-x"));
    Files.createFile(theirs.resolve("index.html"));
    Path link = Files.createSymbolicLink(folder.resolve("link"), theirs);
    for (Path named : new Path[] {theirs, link}) {
      assertThatThrownBy(() -> PrivateDirectory.make(named))
          .isInstanceOf(IOException.class)
          .hasMessageContaining(named.toString())
          .hasMessageContaining("rwxr-xr-x")
          .hasMessageContaining("chmod 700");
    }
    assertThat(permissions(theirs)).isEqualTo("rwxr-xr-x");
    Files.setPosixFilePermissions(theirs, fromString("rwx------"));
    PrivateDirectory.make(link);
  }

  @Test
  void aFileInTheWayIsNamed() throws IOException {
    Path file = Files.createFile(folder.resolve("file"));
    assertThatThrownBy(() -> PrivateDirectory.make(file))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(file.toString());
  }

  private static String permissions(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }
}
