package dev.sluice.connector.mariadb.capture.succession;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.mariadb.capture.CapturedServer;
import dev.sluice.connector.mariadb.capture.position.LogServer;
import dev.sluice.connector.mariadb.server.MariadbQuery;
import dev.sluice.connector.mariadb.server.MariadbServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks to which server the source's address leads, and lets the capture leave a former primary.
 * The sessions of a capture stay with that one as long as it lives. Owned by the source;
 * threadsafe.
 */
public final class AddressWatch {
  private static final Logger LOG = LoggerFactory.getLogger(AddressWatch.class);

  private final MariadbServer server;
  private final CapturedServer captured;
  private final InstantSource clock;
  private LeavingRule rule = new LeavingRule();
  private String watched = "";

  /**
   * @param clock that never goes back
   */
  public AddressWatch(MariadbServer server, CapturedServer captured, InstantSource clock) {
    this.server = server;
    this.captured = captured;
    this.clock = clock;
  }

  /** Looks if it is time to. An address that does not answer says nothing. */
  public synchronized void look() {
    Optional<String> now = captured.identity();
    if (now.isEmpty()) {
      return;
    }
    if (!now.get().equals(watched)) {
      watched = now.get();
      rule = new LeavingRule();
    }
    if (!rule.isDue(clock.instant())) {
      return;
    }
    rule.asked(clock.instant());
    try (Connection session = server.open()) {
      AddressedServer answer = AddressedServer.read(new MariadbQuery(session));
      Optional<ExecutedTransactions> has = ofCaptured();
      if (has.isPresent()) {
        rule.take(clock.instant(), answer, watched, has.get())
            .ifPresent(missing -> leave(answer, missing));
      }
    } catch (SQLException e) {
      LOG.debug("the server at the source's address does not say who it is: {}", e.getMessage());
    }
  }

  /**
   * What the captured server has, whatever the capture has read of it. The session that asks stays
   * there; empty if it was lost, and leads elsewhere.
   */
  private Optional<ExecutedTransactions> ofCaptured() throws SQLException {
    return server.ask(
        query ->
            LogServer.identity(query).equals(watched)
                ? Optional.of(ExecutedTransactions.read(query))
                : Optional.empty());
  }

  private void leave(AddressedServer answer, ExecutedTransactions missing) {
    rule = new LeavingRule();
    captured.leave(
        watched,
        new SluiceException.Retryable(
            new Problem(
                    "source",
                    "server %s answers at its address, and has executed %s, which server %s lacks"
                        .formatted(answer.identity(), missing, watched),
                    "one server at this address: the one whose binary log the task reads",
                    "Keep applications from writing to server %s. The task starts again, and checks whether the other server has all that the task has read"
                        .formatted(watched))
                .toString(),
            null));
    // The next start must not ask both servers.
    server.askAgain();
  }
}
