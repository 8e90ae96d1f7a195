package dev.sluice.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** One after the other: each process deletes what others have left. */
@Execution(ExecutionMode.SAME_THREAD)
class MemoryFolderTest {

  @Test
  void theFolderOfAKilledProcessIsDeletedByTheNextAndThatOfALivingOneIsNot() throws Exception {
    Path ours = ours();
    Path killed = folderOfAProcess("halt");
    assertThat(killed).isDirectory();
    Path ended = folderOfAProcess("exit");
    assertThat(killed.getParent()).doesNotExist();
    assertThat(ended.getParent()).doesNotExist();
    assertThat(ours).isDirectory();
    Files.delete(ours);
  }

  @Test
  void aServerEndsBeforeItsFolderIsDeleted() throws Exception {
    Files.delete(ours());
    assertThat(saidByAProcess("serve")).isEqualTo("the folder is there: true");
  }

  private static Path ours() throws IOException {
    Path ours = MemoryFolder.create("test");
    assumeTrue(ours.startsWith("/dev/shm"), "this machine has no room in memory");
    return ours;
  }

  private static Path folderOfAProcess(String end) throws IOException, InterruptedException {
    return Path.of(saidByAProcess(end));
  }

  private static String saidByAProcess(String end) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                OtherProcess.class.getName(),
                end)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String said = new String(process.getInputStream().readAllBytes());
    assertThat(process.waitFor()).isZero();
    return said;
  }

  /** A process that takes a folder, says something and ends, with or without its shutdown hooks. */
  static final class OtherProcess {
    public static void main(String[] arguments) throws IOException {
      Path folder = MemoryFolder.create("test");
      if (arguments[0].equals("serve")) {
        MemoryFolder.endFirst(() -> say("the folder is there: " + Files.isDirectory(folder)));
        return;
      }
      say(folder.toString());
      if (arguments[0].equals("halt")) {
        Runtime.getRuntime().halt(0);
      }
    }

    private static void say(String text) {
      System.out.print(text);
      System.out.flush();
    }
  }
}
