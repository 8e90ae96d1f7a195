package dev.sluice.engine.cutover.hook;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/**
 * Reads a command's output and keeps its end: at most 20 lines of together 4 KB. Threadsafe; the
 * reading thread ends with the output.
 */
final class OutputTail {
  static final int BYTES = 4096;
  static final int LINES = 20;

  private final byte[] ring = new byte[BYTES];
  private final Thread reader;
  private long read;

  private OutputTail(InputStream output) {
    this.reader = new Thread(() -> drain(output), "sluice-hook-output");
    reader.setDaemon(true);
  }

  static OutputTail of(InputStream output) {
    OutputTail tail = new OutputTail(output);
    tail.reader.start();
    return tail;
  }

  private void drain(InputStream output) {
    byte[] buffer = new byte[BYTES];
    try (output) {
      int count = output.read(buffer);
      while (count >= 0) {
        keep(buffer, count);
        count = output.read(buffer);
      }
    } catch (IOException e) {
      // The process was killed: what was read stays.
    }
  }

  private synchronized void keep(byte[] buffer, int count) {
    for (int i = 0; i < count; i++) {
      ring[(int) (read++ % BYTES)] = buffer[i];
    }
  }

  /**
   * The last lines. A process in the background may keep the output open after its command ended.
   *
   * @param timeout how long to wait for the output's end
   */
  List<String> lines(Duration timeout) throws InterruptedException {
    reader.join(Math.max(1, timeout.toMillis()));
    return lines();
  }

  private synchronized List<String> lines() {
    int count = (int) Math.min(read, BYTES);
    byte[] kept = new byte[count];
    for (int i = 0; i < count; i++) {
      kept[i] = ring[(int) ((read - count + i) % BYTES)];
    }
    List<String> lines =
        Arrays.stream(new String(kept, StandardCharsets.UTF_8).split("\r?\n"))
            .map(line -> line.replaceAll("\\p{Cntrl}", " ").stripTrailing())
            .filter(line -> !line.isEmpty())
            .toList();
    return lines.subList(Math.max(0, lines.size() - LINES), lines.size());
  }
}
