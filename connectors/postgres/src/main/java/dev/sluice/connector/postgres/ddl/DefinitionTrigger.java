package dev.sluice.connector.postgres.ddl;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.transformation.SelectionPattern;
import dev.sluice.connector.postgres.server.EventTriggerRight;
import dev.sluice.connector.postgres.server.LockAttempts;
import dev.sluice.connector.postgres.server.SourceFailures;
import dev.sluice.connector.postgres.server.SourceServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The event triggers on a source, which write altered table definitions into the log, and their
 * schema {@code sluice_ddl}. All tasks of a database share them: the first installs them, the last
 * removes them. Each call is from one thread.
 */
public final class DefinitionTrigger {
  private static final Logger LOG = LoggerFactory.getLogger(DefinitionTrigger.class);

  /** The publication of the reports, one for all tasks. */
  public static final String PUBLICATION = "sluice_ddl";

  static final String NOT_ALLOWED = "42501";

  private static final int FORGOTTEN_AT_ONCE = 10_000;

  private static final String SLOT_IS_OLDER =
      """
      SELECT FROM pg_catalog.pg_replication_slots s
      WHERE s.slot_name = ? AND NOT EXISTS (
        SELECT FROM sluice_ddl.published p WHERE s.restart_lsn >= p.since)
      """;

  private final SourceServer server;
  private final TaskRegistration registration;
  private final String slot;
  private final Optional<ForeignSubscribers> spared;

  /**
   * @param owner the task's id, which distinguishes it from others of its name
   * @param slot the task's slot
   * @param spared finds subscribers that must not break; empty if the task's owner accepts that
   */
  public DefinitionTrigger(
      SourceServer server,
      String task,
      String owner,
      String slot,
      Optional<ForeignSubscribers> spared) {
    this.server = server;
    this.registration = new TaskRegistration(task, owner);
    this.slot = slot;
    this.spared = spared;
  }

  /**
   * The subscribers that the triggers would break, so that they are not installed; empty if none.
   */
  public Optional<String> hindrance() {
    try (Connection connection = server.borrow()) {
      return hindrance(connection);
    } catch (SQLException e) {
      throw SourceFailures.classify("reading the subscribers of this database", e);
    }
  }

  private Optional<String> hindrance(Connection connection) throws SQLException {
    return spared.isPresent() ? spared.get().broken(connection) : Optional.empty();
  }

  /**
   * Installs the triggers if they are missing or of another release, all or nothing.
   *
   * @return why they could not be installed, or why the task cannot read their reports yet; empty
   *     if it can from now on
   * @throws SluiceException.Fatal if an object of their names belongs to another role
   */
  public Optional<String> install() {
    try (Connection connection = server.borrow()) {
      Optional<String> hindrance = hindrance(connection);
      if (hindrance.isPresent()) {
        return hindrance;
      }
      connection.setAutoCommit(false);
      Optional<String> missing =
          new TriggerInstallation(connection, new LockAttempts(server)).run();
      return missing.isPresent() ? missing : unreadable(connection);
    } catch (SQLException e) {
      throw SourceFailures.classify("installing the event triggers for DDL", e);
    }
  }

  /** Whether the triggers are installed and enabled, of any release; changes nothing. */
  public boolean isInstalled() {
    try (Connection connection = server.borrow()) {
      return TriggerInstallation.isDone(connection);
    } catch (SQLException e) {
      throw SourceFailures.classify("checking the event triggers for DDL", e);
    }
  }

  /**
   * The server applies the publications as they were at each log position. At positions before the
   * publication existed it sends no changes at all.
   */
  private Optional<String> unreadable(Connection connection) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(SLOT_IS_OLDER)) {
      statement.setString(1, slot);
      try (ResultSet row = statement.executeQuery()) {
        return row.next()
            ? Optional.of(
                "they are newer than the log that slot %s still has to send; they are used from the first start at which that log has been read"
                    .formatted(slot))
            : Optional.empty();
      }
    }
  }

  /** Whether this user could install them. */
  public boolean mayInstall() {
    try (Connection connection = server.borrow()) {
      return EventTriggerRight.has(connection);
    } catch (SQLException e) {
      throw SourceFailures.classify("reading this user's rights", e);
    }
  }

  /**
   * Registers a starting task before its tables are published. From here on the triggers adapt
   * publication and replica identity to altered tables, so that PostgreSQL refuses no statement of
   * the application. New tables are not replicated before {@link #register}.
   *
   * @param tables all tables that the task is to replicate
   */
  public void begin(
      String publication,
      boolean givesIdentity,
      List<SelectionPattern> selection,
      List<TableId> tables) {
    enter(publication, givesIdentity, selection, tables, false);
  }

  /**
   * Begins to replicate new selected tables from their first row.
   *
   * @param tables the tables that the task replicates already
   */
  public void register(
      String publication,
      boolean givesIdentity,
      List<SelectionPattern> selection,
      List<TableId> tables) {
    enter(publication, givesIdentity, selection, tables, true);
  }

  private void enter(
      String publication,
      boolean givesIdentity,
      List<SelectionPattern> selection,
      List<TableId> tables,
      boolean takesNew) {
    try (Connection connection = server.borrow()) {
      registration.enter(
          connection,
          new TaskRegistration.Followed(publication, givesIdentity, selection, tables),
          takesNew);
    } catch (SQLException e) {
      throw SourceFailures.classify("registering the task with the event triggers for DDL", e);
    }
  }

  /** Stops replicating new tables. Those that are replicated stay so. */
  public void takeNoNew() {
    try (Connection connection = server.borrow()) {
      if (TriggerInstallation.isDone(connection)) {
        registration.takeNoNew(connection);
      }
    } catch (SQLException e) {
      // The triggers belong to another role, so this task cannot have registered with them.
      if (NOT_ALLOWED.equals(e.getSQLState())) {
        return;
      }
      throw SourceFailures.classify("pausing the event triggers for DDL", e);
    }
  }

  /**
   * The problem that another task of the same name is registered, or that a newer Sluice has
   * installed the triggers. Empty also if this user may not read the registrations.
   */
  public Optional<Problem> anothers() {
    try (Connection connection = server.borrow()) {
      Optional<Problem> newer = TriggerInstallation.newer(connection);
      if (newer.isPresent()) {
        return newer;
      }
      return TriggerInstallation.isDone(connection)
          ? registration.anothers(connection)
          : Optional.empty();
    } catch (SQLException e) {
      if (NOT_ALLOWED.equals(e.getSQLState())) {
        return Optional.empty();
      }
      throw SourceFailures.classify("reading the tasks of the event triggers for DDL", e);
    }
  }

  /**
   * The present names of the tables that the task replicates. Empty if the triggers are not
   * installed, or the task is not registered.
   */
  public Optional<Set<TableId>> followed() {
    try (Connection connection = server.borrow()) {
      if (!TriggerInstallation.isDone(connection) || !registration.isThere(connection)) {
        return Optional.empty();
      }
      return Optional.of(registration.followed(connection));
    } catch (SQLException e) {
      if (NOT_ALLOWED.equals(e.getSQLState())) {
        return Optional.empty();
      }
      throw SourceFailures.classify(
          "reading the replicated tables of the event triggers for DDL", e);
    }
  }

  /**
   * Deletes old table definitions that no slot of the database needs any more; many entries take
   * several calls.
   */
  public void forget() {
    try (Connection connection = server.borrow();
        PreparedStatement statement = connection.prepareStatement("SELECT sluice_ddl.forget(?)")) {
      statement.setInt(1, FORGOTTEN_AT_ONCE);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        if (row.getLong(1) > 0) {
          LOG.info("event triggers: {} old table definitions deleted", row.getLong(1));
        }
      }
    } catch (SQLException e) {
      throw SourceFailures.classify("deleting old table definitions", e);
    }
  }

  /**
   * Deletes the task's registration, and the triggers with their schema if it was the last task.
   *
   * @return whether the task was registered
   */
  public boolean remove() {
    try (Connection connection = server.borrow()) {
      connection.setAutoCommit(false);
      return new TriggerRemoval(connection, new LockAttempts(server), registration::delete).run();
    } catch (SQLException e) {
      if (NOT_ALLOWED.equals(e.getSQLState())) {
        LOG.info("the event triggers on the source belong to another role and are not removed");
        return false;
      }
      throw SourceFailures.classify("removing the event triggers for DDL", e);
    }
  }
}
