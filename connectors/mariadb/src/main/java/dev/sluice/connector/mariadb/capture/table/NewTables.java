package dev.sluice.connector.mariadb.capture.table;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.ddl.DefinitionChange;
import dev.sluice.connector.mariadb.capture.position.BinlogPosition;
import dev.sluice.connector.mariadb.capture.statement.CreateText;
import dev.sluice.connector.mariadb.capture.statement.CreatedTable;
import dev.sluice.connector.mariadb.capture.statement.LoggedStatement;
import dev.sluice.connector.mariadb.capture.statement.NotFollowed;
import dev.sluice.connector.mariadb.capture.statement.StatementTables;
import dev.sluice.connector.mariadb.server.Flavour;
import java.util.Optional;
import java.util.regex.Pattern;

/*
 * Two things may be missing in the text: the engine, and the character set of the database. The
 * server shows both as of the end of its log. Only a statement could have changed them before that
 * end. The log has that statement, and it is not followed for such a table.
 *
 * MariaDB does not log CREATE TABLE IF NOT EXISTS of an existing table: a logged statement made one.
 * MySQL always logs it. Where the statement creates a table of InnoDB, MySQL logs it together with
 * the engine's change. A table of another engine is logged like a statement that did nothing. So the
 * server is asked for the engine: if it is InnoDB, and was not when the table was made, a statement
 * before the end that the log had then has changed it. Such a statement is not followed.
 */
/**
 * Follows CREATE TABLE of names that the task selects and does not replicate yet, or whose table
 * was dropped, and checks one of a captured name. A table that is not certain is not followed, and
 * a warning names it. Owned by the thread that decodes the log.
 */
final class NewTables {
  /**
   * The clause with which MySQL logs CREATE TABLE … SELECT; the end of that transaction shows the
   * engine.
   */
  private static final Pattern WITH_ROWS =
      Pattern.compile("\\bSTART\\s+TRANSACTION\\b", Pattern.CASE_INSENSITIVE);

  /** Without any comment that a server may execute. */
  private static final Pattern UNLESS_THERE =
      Pattern.compile(
          "^(?:\\s++|/\\*(?!M?!).*?\\*/|--[ \\t\\r\\n][^\\n]*+\\n|#[^\\n]*+\\n)*+CREATE\\s+TABLE\\s+IF\\s+NOT\\s+EXISTS\\b",
          Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

  private final KnownTables tables;
  private final NewNames names;

  NewTables(KnownTables tables, NewNames names) {
    this.tables = tables;
    this.names = names;
  }

  /**
   * Requires that CREATE TABLE of a captured name did nothing. A server creates a table only if it
   * is not there. The captured one was dropped then, perhaps before the start, or by a session that
   * kept it out of the log.
   */
  void requireNothingDone(TableId table, LoggedStatement statement) throws NotFollowed {
    boolean didNothing =
        UNLESS_THERE.matcher(statement.text()).find()
            && !isInEngine(statement)
            && tables.tellsCreation(table);
    if (!didNothing) {
      throw new NotFollowed(
          "it made the table, or may have, after a DROP that need not be in the log (sql_log_bin=0,"
              + " or a filter): what has the name is another one now");
    }
  }

  /** Whether MySQL's log shows that the statement created a table of InnoDB. */
  private static boolean isInEngine(LoggedStatement statement) {
    return statement.run().withXid() || WITH_ROWS.matcher(statement.text()).find();
  }

  /**
   * The change for the target; empty if the task does not select the table, or if its definition is
   * not certain.
   *
   * @param statement CREATE TABLE that did not fail
   */
  Optional<DefinitionChange> follow(StatementTables found, LoggedStatement statement) {
    TableId table = tables.names().stored(found.tables().get(0));
    if (!names.selects(table)) {
      return Optional.empty();
    }
    try {
      tables.names().exact(found.tables().get(0));
      return Optional.of(make(table, statement));
    } catch (NotFollowed e) {
      names.warn(found.what(), table, e.getMessage());
      tables.forget(table);
      return Optional.empty();
    }
  }

  /** Notes that a statement created a new table with the name of a captured one. */
  void again(TableId table, LoggedStatement statement) {
    if (names.arePast()) {
      try {
        CreatedTable created = CreateText.read(table, statement);
        tables.told(created.table(), created.doubtful());
        return;
      } catch (NotFollowed e) {
        // The log's next description shows it.
      }
    }
    tables.created(table);
  }

  private DefinitionChange make(TableId table, LoggedStatement statement) throws NotFollowed {
    if (!tables.filteredBy(table).isEmpty()) {
      throw new NotFollowed("a rule filters its rows");
    }
    CreatedTable created = CreateText.read(table, statement);
    PresentTables present = tables.answers().present();
    BinlogPosition end =
        present
            .end()
            .orElseThrow(() -> new NotFollowed("the server does not say where its log ends"));
    if (present.flavour() == Flavour.MYSQL && !isInEngine(statement)) {
      throw new NotFollowed("the log does not say that it made a table of InnoDB");
    }
    if (!created.ofInnodb()) {
      requireInnodb(table, present);
    }
    if (present.textsAreBytes() && !created.doubtful().isEmpty()) {
      throw new NotFollowed("the texts of the database have the character set binary");
    }
    boolean certain = created.ofInnodb() && created.doubtful().isEmpty();
    BinlogPosition proven = certain ? tables.reached() : end;
    names.gain(table, tables.behind(), proven.last());
    tables.made(created.table(), proven);
    return new DefinitionChange(null, created.definition(), true, false, null);
  }

  private static void requireInnodb(TableId table, PresentTables present) throws NotFollowed {
    if (present.ofOthers().contains(table)) {
      throw new NotFollowed("its engine is not InnoDB");
    }
    if (!present.ofInnodb().contains(table)) {
      throw new NotFollowed(
          "its engine is not certain, since the source has no table of that name now and the"
              + " statement does not say ENGINE=InnoDB");
    }
  }
}
