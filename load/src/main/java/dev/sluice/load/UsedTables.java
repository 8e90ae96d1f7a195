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
 * Looks whether somebody uses the target's tables in such a way that what is made after a cutover's
 * decision would wait for it, and the applications with it. Stateless.
 */
public final class UsedTables {
  private UsedTables() {}

  /** Whether to look again where a table is used: a window or a comparison of Sluice ends. */
  @FunctionalInterface
  public interface Again {
    /** Says what is used at once. */
    Again NEVER = look -> false;

    /**
     * Pauses before the next look. No table is locked meanwhile.
     *
     * @param look how long the one before took, behind which others may have waited
     * @return false if there is to be none
     */
    boolean after(Duration look) throws InterruptedException;
  }

  /**
   * Waits two seconds at most for each look.
   *
   * @throws SluiceException.Fatal if one is used; nothing has happened then
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
    // Its locks end with the session, whatever happens.
    try (TargetConnection session = target.connect()) {
      return session.dialect().load().inUse(session.jdbc(), tables);
    } catch (SQLException e) {
      throw target.errors().classify("look who uses the target's tables", e);
    }
  }
}
