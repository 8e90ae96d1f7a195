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
 * The text leaves two things to the server: the engine, and the character set of the database. The
 * server shows both as they are at the end of its log. What could have changed them before that end
 * is a statement that the log has, and that is not followed for such a table.
 */
/**
 * Follows CREATE TABLE of names that the task selects and does not replicate, or whose table was
 * dropped. What is not certain is not followed, and named. Owned by the thread that decodes the
 * log.
 */
final class NewTables {
  /** How MySQL writes a creation with the rows of a query, whose end says what else would. */
  private static final Pattern WITH_ROWS =
      Pattern.compile("\\bSTART\\s+TRANSACTION\\b", Pattern.CASE_INSENSITIVE);

  private final KnownTables tables;
  private final NewNames names;

  NewTables(KnownTables tables, NewNames names) {
    this.tables = tables;
    this.names = names;
  }

  /** Whether the log of MySQL says that the statement made a table of InnoDB. */
  static boolean isInEngine(LoggedStatement statement) {
    return statement.run().withXid() || WITH_ROWS.matcher(statement.text()).find();
  }

  /**
   * What the target gets; empty if the task does not select the table, or if that is not certain.
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

  /** A table that was captured under this name, and another one now, was made by a statement. */
  void again(TableId table, LoggedStatement statement) {
    if (names.arePast()) {
      try {
        CreatedTable created = CreateText.read(table, statement);
        tables.told(created.table(), created.doubtful());
        return;
      } catch (NotFollowed e) {
        // Its next row tells.
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
