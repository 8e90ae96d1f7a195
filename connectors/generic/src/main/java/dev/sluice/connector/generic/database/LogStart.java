package dev.sluice.connector.generic.database;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.generic.config.GenericConfig;
import dev.sluice.connector.generic.config.KnownConnector;
import dev.sluice.connector.generic.config.PlaceText;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The places of a database's log at which a task may start, as offsets that its connector takes.
 * Stateless; used by the thread of the session.
 */
public sealed interface LogStart permits BinlogStart, PostgresStart {

  /** Empty where no start at a place was tried. */
  static Optional<LogStart> of(GenericConfig config) {
    return config.connector() == KnownConnector.POSTGRESQL
        ? Optional.of(new PostgresStart(config))
        : config.connector() == KnownConnector.MARIADB
            ? Optional.of(new BinlogStart())
            : Optional.empty();
  }

  /**
   * Requires that something keeps the log for the task, where the database does not keep it for
   * all.
   *
   * @throws SluiceException.Fatal if nothing does
   * @throws SluiceException.Retryable if it is being read
   */
  default void requireKept(Connection session) throws SQLException {}

  /**
   * The place between two transactions that a text names.
   *
   * @throws SluiceException.Fatal if the log has no such place, or does not have what follows
   */
  Map<String, Object> named(Connection session, PlaceText place) throws SQLException;

  /**
   * Why changes of the tables after a place may not be read as they were written: the connector
   * knows the present definitions only.
   */
  List<Problem> changedSince(
      Connection session, Map<String, Object> offset, Collection<TableId> tables)
      throws SQLException;

  /** The type of Sluice's own source of this database. */
  String ownType();

  /** The full form of a place that the own source has found. */
  String placeOf(Connection session, String found) throws SQLException;

  /**
   * The advice to load the tables, or to leave changes out.
   *
   * @param later what makes the task start later
   */
  static String loadOr(String later) {
    return "Let the task load the tables: migration-type: full-load-and-cdc. "
        + later
        + " only if the target already has all changes up to there: what is between is not applied";
  }

  static SluiceException.Fatal refused(String found, String expected, String fix) {
    return new SluiceException.Fatal(new Problem("cdc-start-position", found, expected, fix));
  }
}
