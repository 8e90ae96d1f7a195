package dev.sluice.connector.mariadb.capture;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.ddl.ColumnDefinition;
import dev.sluice.connector.api.ddl.ColumnDefinition.Filling;
import dev.sluice.connector.api.ddl.TableDefinition;
import dev.sluice.connector.api.source.catalog.CatalogColumn;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.connector.api.source.catalog.CatalogTable.OldRow;
import dev.sluice.connector.mariadb.server.SqlText;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Reads CREATE TABLE: columns and a primary key that are certain, and a refusal of everything else.
 * Used once, by one thread.
 */
final class CreateText {
  private static final Set<String> WITH_IDENTITY = Set.of("smallint", "integer", "bigint");

  private static final Set<String> OPTIONS =
      Set.of(
          "AUTO_INCREMENT",
          "CHARSET",
          "COLLATE",
          "COMMENT",
          "ENGINE",
          "KEY_BLOCK_SIZE",
          "ROW_FORMAT",
          "STATS_AUTO_RECALC",
          "STATS_PERSISTENT",
          "STATS_SAMPLE_PAGES");

  private final TableId table;
  private final LoggedStatement statement;
  private final List<Declared> columns = new ArrayList<>();
  private final List<String> key = new ArrayList<>();
  private final List<String> notMade = new ArrayList<>();

  private record Declared(ColumnText text, boolean counts) {}

  private CreateText(TableId table, LoggedStatement statement) {
    this.table = table;
    this.statement = statement;
  }

  /**
   * @param table its exact name
   * @throws NotFollowed if anything is not certain
   */
  static CreatedTable read(TableId table, LoggedStatement statement) throws NotFollowed {
    return new CreateText(table, statement).read();
  }

  private CreatedTable read() throws NotFollowed {
    if (!statement.run().ordinary()) {
      throw new NotFollowed(
          "types have other names in the session's sql_mode, or texts are filled with blanks");
    }
    SqlWords words = new SqlWords(SqlTokens.of(statement));
    if (!words.accept("CREATE", "TABLE") && !words.accept("CREATE", "OR", "REPLACE", "TABLE")) {
      throw new NotFollowed("it begins with other words than CREATE TABLE");
    }
    words.accept("IF", "NOT", "EXISTS");
    words.name();
    if (words.accept(".")) {
      words.name();
    }
    if (!words.accept("(")) {
      throw new NotFollowed("it does not say its columns");
    }
    for (SqlWords part : words.inParentheses().divided()) {
      part(part);
    }
    while (!words.isAtEnd()) {
      option(words);
      words.accept(",");
    }
    return created();
  }

  private void part(SqlWords words) throws NotFollowed {
    switch (words.next()) {
      case "PRIMARY" -> key(words);
      case "INDEX", "KEY", "UNIQUE", "FULLTEXT", "SPATIAL", "CHECK" -> notMade.add(words.next());
      case "CONSTRAINT", "FOREIGN" -> {
        if (words.contains("PRIMARY")) {
          throw new NotFollowed("the primary key has a name");
        }
        if (words.contains("CASCADE") || words.contains("SET")) {
          throw new NotFollowed("a foreign key's changes of rows are not in the log");
        }
        notMade.add(words.next());
      }
      case "LIKE", "PERIOD" -> throw new NotFollowed("it has " + words.next());
      default -> column(words);
    }
  }

  private void column(SqlWords words) throws NotFollowed {
    boolean counts = words.remove("AUTO_INCREMENT");
    boolean primary = words.remove("PRIMARY", "KEY");
    if (words.remove("UNIQUE", "KEY") || words.remove("UNIQUE")) {
      notMade.add("UNIQUE");
    }
    ColumnText column = ColumnText.read(table, words);
    if (columns.stream().anyMatch(each -> isNamed(each, column.name()))) {
      throw new NotFollowed("two columns are named " + column.name());
    }
    if (column.dataType().equals("timestamp") && !column.isNull() && !column.notNull()) {
      throw new NotFollowed(
          "a TIMESTAMP without a word about NULL means different things on different servers");
    }
    if (counts && !WITH_IDENTITY.contains(column.mappedType())) {
      throw new NotFollowed("column " + column.name() + " counts in a type without an identity");
    }
    if (primary) {
      if (!key.isEmpty()) {
        throw new NotFollowed("it has two primary keys");
      }
      key.add(column.name());
    }
    columns.add(new Declared(column, counts));
  }

  private void key(SqlWords words) throws NotFollowed {
    if (!key.isEmpty() || !words.accept("PRIMARY", "KEY", "(")) {
      throw new NotFollowed("its primary key is declared in another way");
    }
    do {
      key.add(words.name().orElseThrow(() -> new NotFollowed("the primary key cannot be read")));
    } while (words.accept(","));
    if (!words.accept(")")) {
      throw new NotFollowed("the primary key has more than columns");
    }
    if (words.accept("USING")) {
      words.accept("BTREE");
    }
    if (!words.isAtEnd()) {
      throw new NotFollowed("the primary key has more than columns");
    }
  }

  private static void option(SqlWords words) throws NotFollowed {
    if (words.accept("START", "TRANSACTION")) {
      return;
    }
    words.accept("DEFAULT");
    String option = words.accept("CHARACTER", "SET") ? "CHARSET" : words.next();
    if (!OPTIONS.contains(option)) {
      throw new NotFollowed("what %s means for it is not known here".formatted(option));
    }
    if (words.next().equals(option)) {
      words.skip(1);
    }
    words.accept("=");
    String value = words.next();
    if (option.equals("ENGINE") && !value.equals("INNODB")) {
      throw new NotFollowed("it has another engine than InnoDB");
    }
    if (value.equals("BINARY")) {
      throw new NotFollowed("its texts are bytes");
    }
    words.skip(1);
  }

  private CreatedTable created() throws NotFollowed {
    if (key.isEmpty()) {
      throw new NotFollowed("it has no primary key");
    }
    List<Integer> numbers = new ArrayList<>();
    for (String name : key) {
      int number = 1;
      while (number <= columns.size() && !isNamed(columns.get(number - 1), name)) {
        number++;
      }
      if (number > columns.size() || numbers.contains(number)) {
        throw new NotFollowed("the primary key has a column that is not declared once");
      }
      numbers.add(number);
    }
    Set<Integer> ofKey = new HashSet<>(numbers);
    List<CatalogColumn> described = new ArrayList<>();
    List<ColumnDefinition> defined = new ArrayList<>();
    for (Declared each : columns) {
      int number = defined.size() + 1;
      ColumnText text = each.text();
      boolean nullable = !ofKey.contains(number) && !each.counts() && !text.notNull();
      if (text.isNull() && !nullable) {
        throw new NotFollowed("column " + text.name() + " of the key is declared NULL");
      }
      described.add(
          new CatalogColumn(
              text.name(),
              text.mappedType(),
              nullable,
              ofKey.contains(number),
              false,
              each.counts()));
      defined.add(
          new ColumnDefinition(
              number,
              text.name(),
              text.mappedType(),
              text.mappedType(),
              null,
              !nullable,
              each.counts() ? Filling.IDENTITY_BY_DEFAULT : Filling.DEFAULT,
              defaultOf(text),
              null,
              null));
    }
    return new CreatedTable(
        new CatalogTable(
            table,
            table,
            CatalogTable.Kind.ORDINARY,
            CatalogTable.Persistence.LOGGED,
            OldRow.PRIMARY_KEY,
            described,
            null,
            0,
            true,
            true,
            false),
        new TableDefinition(table, null, null, numbers, defined),
        notMade);
  }

  private String defaultOf(ColumnText column) throws NotFollowed {
    if (column.byDefault() instanceof ColumnText.Default.Now now) {
      return switch (column.dataType()) {
        case "timestamp" -> "CURRENT_TIMESTAMP(" + now.fraction() + ")";
        case "datetime" -> "LOCALTIMESTAMP(" + now.fraction() + ")";
        default ->
            throw new NotFollowed("the default of column " + column.name() + " is not known here");
      };
    }
    return column.byDefault() instanceof ColumnText.Default.Constant constant
            && constant.text() != null
        ? SqlText.of(OlderRows.valueOf(column, statement.run().seconds()))
        : null;
  }

  private static boolean isNamed(Declared column, String name) {
    return column.text().name().toLowerCase(Locale.ROOT).equals(name.toLowerCase(Locale.ROOT));
  }
}
