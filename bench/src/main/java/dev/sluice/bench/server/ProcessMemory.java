package dev.sluice.bench.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What a process holds of the machine's memory, from the proc file system. Immutable.
 *
 * @param peak the most that was resident since its start (VmHWM), in bytes
 * @param resident now
 * @param files of the resident part what maps files: libraries, the broker's indexes
 */
public record ProcessMemory(long peak, long resident, long files) {

  /**
   * @throws IOException where there is no such process
   */
  public static ProcessMemory of(long pid) throws IOException {
    long peak = 0;
    long resident = 0;
    long files = 0;
    for (String line : Files.readAllLines(Path.of("/proc", Long.toString(pid), "status"))) {
      String[] words = line.split("\\s+");
      switch (words[0]) {
        case "VmHWM:" -> peak = Long.parseLong(words[1]) * 1024;
        case "VmRSS:" -> resident = Long.parseLong(words[1]) * 1024;
        case "RssFile:" -> files = Long.parseLong(words[1]) * 1024;
        default -> {
          // Of no interest.
        }
      }
    }
    return new ProcessMemory(peak, resident, files);
  }
}
