package dev.sluice.bench.peer;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.bench.server.ProcessMemory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Records a daemon's peak memory and swap, from its status page, the kernel and its log of garbage
 * collections. Owned by one thread.
 */
public final class DaemonWatch {
  /** Such as {@code Pause Young (Allocation Failure) 120M->40M(490M) 8.1ms}. */
  private static final Pattern COLLECTION = Pattern.compile("(\\d+)M->(\\d+)M\\(\\d+M\\)");

  private final SluiceDaemon daemon;
  private final Path collections;
  private long held;
  private long limit;
  private long swap;

  /**
   * @param collections where the daemon writes its log of collections, see {@link #javaOption}
   */
  public DaemonWatch(SluiceDaemon daemon, Path collections) {
    this.daemon = daemon;
    this.collections = collections;
  }

  /** The Java option with which a daemon logs its collections. */
  public static String javaOption(Path collections) {
    return "-Xlog:gc:file=" + collections;
  }

  /** Reads the status page once. */
  public void poll() throws InterruptedException {
    Optional<JsonNode> page = daemon.status();
    if (page.isPresent()) {
      held = Math.max(held, page.get().at("/memory/bytes").asLong());
      limit = Math.max(limit, page.get().at("/memory/limit_bytes").asLong());
      swap = Math.max(swap, page.get().at("/swap/bytes").asLong());
    }
  }

  /** The peaks up to now; call it before the daemon ends. */
  public Peaks peaks() throws IOException {
    long heap = 0;
    for (String line : Files.readAllLines(collections)) {
      Matcher collection = COLLECTION.matcher(line);
      if (collection.find()) {
        heap = Math.max(heap, Long.parseLong(collection.group(2)) << 20);
      }
    }
    return new Peaks(ProcessMemory.of(daemon.pid()).peak(), heap, held, limit, swap);
  }

  /**
   * In bytes.
   *
   * @param resident the kernel's VmHWM
   * @param heap in use right after a collection
   * @param held by open transactions and windows, as the status page has it
   * @param limit MemoryLimitTotal + 2 × BatchApplyMemoryLimit, both as they are in effect
   * @param swap on disk
   */
  public record Peaks(long resident, long heap, long held, long limit, long swap) {}
}
