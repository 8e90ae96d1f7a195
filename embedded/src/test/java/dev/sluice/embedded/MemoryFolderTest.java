package dev.sluice.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class MemoryFolderTest {

  @Test
  void theFolderOfAKilledProcessIsDeletedByTheNextAndThatOfALivingOneIsNot() throws Exception {
    Path ours = MemoryFolder.create("test");
    assumeTrue(ours.startsWith("/dev/shm"), "this machine has no room in memory");
    Path killed = folderOfAProcess("halt");
    assertThat(killed).isDirectory();
    Path ended = folderOfAProcess("exit");
    assertThat(killed.getParent()).doesNotExist();
    assertThat(ended.getParent()).doesNotExist();
    assertThat(ours).isDirectory();
    Files.delete(ours);
  }

  private static Path folderOfAProcess(String end) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                OtherProcess.class.getName(),
                end)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String folder = new String(process.getInputStream().readAllBytes());
    assertThat(process.waitFor()).isZero();
    return Path.of(folder);
  }

  /** A process that takes a folder, prints it and ends, with or without its shutdown hooks. */
  static final class OtherProcess {
    public static void main(String[] arguments) throws IOException {
      System.out.print(MemoryFolder.create("test"));
      System.out.flush();
      if (arguments[0].equals("halt")) {
        Runtime.getRuntime().halt(0);
      }
    }
  }
}
