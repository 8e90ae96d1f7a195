package dev.sluice.load;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Checks whether somebody uses the target's tables, so that the steps after a cutover's decision
 * would wait, and the applications with them. Stateless.
 */
public final class UsedTables {
  private UsedTables() {}

  /**
   * Whether to check again if a table is used: a window or a comparison of Sluice ends by itself.
   */
  @FunctionalInterface
  public interface Again {
    /** Reports a table in use at once. */
    Again NEVER = look -> false;

    /**
     * Pauses before the next check. No table is locked meanwhile.
     *
     * @param look how long the last check took, during which others may have waited
     * @return false if there is no next check
     */
    boolean after(Duration look) throws InterruptedException;
  }

  /**
   * Each check waits for two seconds at most.
   *
   * @throws SluiceException.Fatal if a table is in use; nothing was changed
   */
  public static void refuse(TargetServer target, Collection<TableId> tables, Again again)
      throws InterruptedException {
    List<TableId> used;
    Duration look;
    do {
      long begun = System.nanoTime();
      used = used(target, tables);
      look = Duration.ofNanos(System.nanoTime() - begun);
    } while (!used.isEmpty() && again.after(look));
    if (!used.isEmpty()) {
      throw new SluiceException.Fatal(
          new Problem(
              "target tables "
                  + used.stream().map(TableId::toString).collect(Collectors.joining(", ")),
              "are in use by an open transaction or a long statement, for which foreign keys and counters would wait, and the applications behind them",
              "tables that nobody but Sluice uses during the cutover",
              "End that session: a client without autocommit, a dump or a report. %s. If it is one of Sluice, whose windows take that long, wait until less is written. Then run the cutover again"
                  .formatted(target.dialect().load().listOfSessions())));
    }
  }

  private static List<TableId> used(TargetServer target, Collection<TableId> tables) {
    // The locks end with the session in any case.
    try (TargetConnection session = target.connect()) {
      return session.dialect().load().inUse(session.jdbc(), tables);
    } catch (SQLException e) {
      throw target.errors().classify("look who uses the target's tables", e);
    }
  }
}
