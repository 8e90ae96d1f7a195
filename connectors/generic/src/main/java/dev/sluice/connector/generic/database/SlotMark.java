package dev.sluice.connector.generic.database;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.source.TaskMark;
import dev.sluice.connector.generic.catalog.JdbcServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says whose a replication slot is while no daemon of its task runs: the comment of an empty large
 * object in the slot's database. A slot has no comment, and large objects can be made and their
 * comments read without any right. Written by the holder of the slot's claim. Immutable.
 */
record SlotMark(String slot, TaskMark task) {
  private static final Logger LOG = LoggerFactory.getLogger(SlotMark.class);

  private static final String COMMENTS =
      """
      SELECT m.oid, d.description, pg_catalog.pg_has_role(m.lomowner, 'USAGE')
      FROM pg_catalog.pg_description d
      JOIN pg_catalog.pg_largeobject_metadata m ON m.oid = d.objoid
      WHERE d.classoid = 'pg_catalog.pg_largeobject'::pg_catalog.regclass
      """;

  /** A standby, a missing right, and a server without large objects. */
  private static final Set<String> UNABLE = Set.of("25", "42", "0A");

  /**
   * @param removable whether this user may take it off
   */
  private record Mark(String object, String comment, TaskMark.Maker maker, boolean removable) {}

  /** The problem that another task has left its mark; empty if this one has, or none. */
  Optional<Problem> ofAnother(Connection session) throws SQLException {
    return ofAnother(marks(session));
  }

  private Optional<Problem> ofAnother(List<Mark> marks) {
    return marks.stream().anyMatch(this::isOwn)
        ? Optional.empty()
        : marks.stream().findFirst().map(this::problem);
  }

  private boolean isOwn(Mark mark) {
    return task.isIn(mark.comment());
  }

  private Problem problem(Mark mark) {
    return new Problem(
        "replication slot " + slot,
        "it is that of task " + mark.maker().words(),
        "a slot of this task alone",
        "Make another slot for this task, and name it: slot.name in source.debezium.properties. If"
            + " that task has ended for good and nobody needs its slot, take its mark off: SELECT"
            + " lo_unlink(%s)".formatted(mark.object()));
  }

  private List<Mark> marks(Connection session) throws SQLException {
    List<Mark> found = new ArrayList<>();
    for (String[] row : JdbcServer.rows(session, COMMENTS)) {
      TaskMark.makerIn(row[1])
          .filter(maker -> maker.slot().equals(slot))
          .ifPresent(maker -> found.add(new Mark(row[0], row[1], maker, row[2].equals("t"))));
    }
    return found;
  }

  /**
   * Leaves the mark of this task, unless it is there. Those of others are void where the slot is
   * gone that they were about. A server that takes no mark keeps nobody from reading it.
   *
   * @throws SluiceException.Fatal if the slot is another task's
   */
  void leave(Connection session) throws SQLException {
    List<Mark> marks = marks(session);
    if (marks.stream().anyMatch(this::isOwn)) {
      return;
    }
    Optional<Problem> another = ofAnother(marks);
    if (another.isPresent() && PostgresSlot.find(session, slot).isPresent()) {
      throw new SluiceException.Fatal(another.get());
    }
    session.setAutoCommit(false);
    try {
      unlink(session, marks);
      comment(session);
      session.commit();
    } catch (SQLException e) {
      session.rollback();
      if (!UNABLE.contains(String.valueOf(e.getSQLState()).substring(0, 2))) {
        throw e;
      }
      LOG.warn(
          "replication slot {} carries no mark of this task, since the source takes none: {}. While"
              + " no daemon of it runs, another task whose file has take-slot may take the slot",
          slot,
          e.getMessage());
    } finally {
      session.setAutoCommit(true);
    }
  }

  private void comment(Connection session) throws SQLException {
    String statement;
    try (PreparedStatement made =
        session.prepareStatement(
            "SELECT pg_catalog.format('COMMENT ON LARGE OBJECT %s IS %L',"
                + " pg_catalog.lo_create(0), ?::text)")) {
      made.setString(1, task.comment(slot));
      try (ResultSet row = made.executeQuery()) {
        row.next();
        statement = row.getString(1);
      }
    }
    try (Statement comment = session.createStatement()) {
      comment.execute(statement);
    }
  }

  /** Takes the mark of this task off. */
  void remove(Connection session) throws SQLException {
    unlink(session, marks(session).stream().filter(this::isOwn).toList());
  }

  private static void unlink(Connection session, List<Mark> marks) throws SQLException {
    for (Mark mark : marks) {
      if (mark.removable()) {
        JdbcServer.rows(session, "SELECT pg_catalog.lo_unlink(%s)".formatted(mark.object()));
      }
    }
  }
}
