package dev.sluice.engine.validate.continuous;

import dev.sluice.config.TableId;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Prepares tables of the target for their first pass, one after the other, in a thread of its own:
 * a vacuum may take an hour, and nobody waits for it but the pass over that table. Each table is
 * prepared once. Owned by the validation; asked by its thread.
 */
final class FirstVacuums implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(FirstVacuums.class);

  private final Consumer<TableId> vacuum;
  private final Set<TableId> requested = ConcurrentHashMap.newKeySet();
  private final Set<TableId> done = ConcurrentHashMap.newKeySet();
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(
          work -> {
            Thread made = new Thread(work, "sluice-validation-vacuum");
            made.setDaemon(true);
            return made;
          });

  /**
   * @param vacuum prepares one table, named as on the source
   */
  FirstVacuums(Consumer<TableId> vacuum) {
    this.vacuum = vacuum;
  }

  /** Whether a table is prepared; if it is not, it will be. */
  boolean isDone(TableId table) {
    if (requested.add(table)) {
      thread.execute(() -> run(table));
    }
    return done.contains(table);
  }

  private void run(TableId table) {
    try {
      vacuum.accept(table);
    } catch (RuntimeException e) {
      LOG.info("table {} is compared as it is, it could not be vacuumed: {}", table, e.toString());
    } finally {
      done.add(table);
    }
  }

  /** Begins no other one. The one in flight goes on; it holds no lock that others wait for. */
  @Override
  public void close() {
    thread.shutdownNow();
  }
}
