package dev.sluice.target.mariadb.catalog;

import dev.sluice.connector.api.Column;
import dev.sluice.connector.comparison.printed.PrintedType;
import dev.sluice.sink.target.ColumnFit;
import dev.sluice.sink.target.TargetColumn;
import dev.sluice.sink.target.TargetTable;
import dev.sluice.target.mariadb.server.ServerKind;
import dev.sluice.target.mariadb.value.ColumnType;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/*
 * Only types that are known to keep each value pass. A value whose text the column would have to
 * interpret, such as an array or a range, fits only a text column.
 */
/** Which columns of the target keep the values of PostgreSQL's types. Stateless, threadsafe. */
public final class MariadbColumnFit implements ColumnFit {
  private static final int BYTES_PER_CHARACTER = 4;
  private static final int UUID_LENGTH = 36;

  /** Types of whole numbers, each with its digits and bytes. */
  private static final Map<String, int[]> WHOLE =
      Map.of(
          "smallint", new int[] {5, 2},
          "integer", new int[] {10, 4},
          "bigint", new int[] {19, 8},
          "oid", new int[] {10, 8});

  private static final Map<String, Integer> WHOLE_BYTES =
      Map.of("tinyint", 1, "smallint", 2, "mediumint", 3, "int", 4, "bigint", 8);

  private static final Set<String> WHOLE_AND_BIT =
      Set.of("tinyint", "smallint", "mediumint", "int", "bigint");

  /** Their argument is the number of digits of a second. */
  private static final Set<String> TIMES = Set.of("datetime", "timestamp", "time");

  private static final Set<String> LARGE = Set.of("longtext", "longblob");

  private static final String NOT_A_NUMBER = "NaN and infinity";
  private static final String NO_DATE = "infinity, and days before Christ or after the year 9999";

  private final ServerKind server;

  public MariadbColumnFit(ServerKind server) {
    this.server = server;
  }

  @Override
  public Verdict of(Column source, TargetTable table, TargetColumn column) {
    PrintedType from = PrintedType.of(source.type());
    ColumnType to = ColumnType.of(column);
    if (column.fillsNull() && to.name().equals("timestamp")) {
      return filling(
          server.label() + " stores the current time in it instead of NULL, without an error",
          "datetime(%d)%s".formatted(to.number(0, 0), source.nullable() ? " NULL" : " NOT NULL"),
          table,
          column);
    }
    if (column.fillsNull() && source.nullable()) {
      return filling(
          "the source allows NULL, and AUTO_INCREMENT stores the next number instead, without an error",
          column.storedType() + " NULL; or make the source's column NOT NULL",
          table,
          column);
    }
    return judge(from, to, column).orElseGet(() -> unfit(source, table, column));
  }

  private static Verdict filling(
      String why, String definition, TargetTable table, TargetColumn column) {
    return new Verdict.Unfit(
        why,
        "Run: ALTER TABLE %s MODIFY %s %s"
            .formatted(Shown.table(table.id()), Shown.name(column.name()), definition));
  }

  private Verdict unfit(Column source, TargetTable table, TargetColumn column) {
    String wanted = MariadbTypes.of(server, source.type());
    if (source.key() && LARGE.contains(wanted.replaceFirst("[ (].*", ""))) {
      return new Verdict.Unfit(
          "it would change or refuse ordinary values, and %s, which keeps them, belongs to no key of %s"
              .formatted(wanted, server.label()),
          "Make another primary key on the source, of whole numbers or texts with a length; or"
              + " deselect the table");
    }
    return new Verdict.Unfit(
        "it would change or refuse ordinary values",
        "Run: ALTER TABLE %s MODIFY %s %s%s"
            .formatted(
                Shown.table(table.id()),
                Shown.name(column.name()),
                wanted,
                column.notNull() ? " NOT NULL" : " NULL"));
  }

  private static Optional<Verdict> judge(PrintedType from, ColumnType to, TargetColumn column) {
    if (to.isText()) {
      return !to.charset().orElseThrow().equals("utf8mb4") || !holds(from, to)
          ? Optional.empty()
          : Optional.of(Verdict.KEEPS);
    }
    int fraction = TIMES.contains(to.name()) ? to.number(0, 0) : 0;
    return switch (from.name()) {
      case "boolean" ->
          WHOLE_AND_BIT.contains(to.name()) || to.name().equals("bit") && to.number(0, 1) == 1
              ? Optional.of(Verdict.KEEPS)
              : Optional.empty();
      case "smallint", "integer", "bigint", "oid" -> whole(from, to, column);
      case "numeric" ->
          to.name().equals("decimal")
                  && from.first() > 0
                  && to.number(1, 0) >= from.second()
                  && to.number(0, 10) - to.number(1, 0) >= from.first() - from.second()
              ? Optional.of(new Verdict.Except("NaN"))
              : Optional.empty();
      case "real" ->
          Set.of("float", "double").contains(to.name()) && to.arguments().isEmpty()
              ? Optional.of(new Verdict.Except(NOT_A_NUMBER))
              : Optional.empty();
      case "double precision" ->
          to.name().equals("double") && to.arguments().isEmpty()
              ? Optional.of(new Verdict.Except(NOT_A_NUMBER))
              : Optional.empty();
      case "bytea" -> to.name().equals("longblob") ? Optional.of(Verdict.KEEPS) : Optional.empty();
      case "uuid" ->
          to.name().equals("uuid")
              ? Optional.of(new Verdict.Except("values of other variants than RFC 4122 has"))
              : Optional.empty();
      case "bit" ->
          to.name().equals("bit") && to.number(0, 1) == Math.max(1, from.first())
              ? Optional.of(Verdict.KEEPS)
              : Optional.empty();
      case "date" ->
          to.name().equals("date") ? Optional.of(new Verdict.Except(NO_DATE)) : Optional.empty();
      case "timestamp without time zone" ->
          to.name().equals("datetime") && fraction >= from.secondDigits()
              ? Optional.of(new Verdict.Except(NO_DATE))
              : Optional.empty();
      case "timestamp with time zone" ->
          fraction < from.secondDigits()
              ? Optional.empty()
              : switch (to.name()) {
                case "datetime" -> Optional.of(new Verdict.Except(NO_DATE));
                case "timestamp" ->
                    Optional.of(
                        new Verdict.Except("times that the server's type timestamp does not have"));
                default -> Optional.empty();
              };
      case "time without time zone" ->
          to.name().equals("time") && fraction >= from.secondDigits()
              ? Optional.of(Verdict.KEEPS)
              : Optional.empty();
      case "interval" ->
          to.name().equals("time") && fraction >= from.secondDigits()
              ? Optional.of(new Verdict.Except("intervals of days, months or above 838 hours"))
              : Optional.empty();
      default -> Optional.empty();
    };
  }

  private static Optional<Verdict> whole(PrintedType from, ColumnType to, TargetColumn column) {
    int[] size = WHOLE.get(from.name());
    boolean keeps =
        to.name().equals("decimal")
            ? to.number(0, 10) - to.number(1, 0) >= size[0]
            : WHOLE_BYTES.getOrDefault(to.name(), 0) >= size[1]
                && !column.storedType().contains("unsigned");
    return keeps ? Optional.of(Verdict.KEEPS) : Optional.empty();
  }

  /** Whether a text of that type is never longer than the column. */
  private static boolean holds(PrintedType from, ColumnType to) {
    // A CHAR loses the trailing spaces of a text that is shorter than the column.
    if (to.name().equals("char")) {
      return from.name().equals("character") && Math.max(1, from.first()) == to.number(0, 1)
          || from.name().equals("uuid") && to.number(0, 1) == UUID_LENGTH;
    }
    long characters =
        switch (from.name()) {
          case "uuid" -> UUID_LENGTH;
          case "boolean" -> 1;
          case "character" -> Math.max(1, from.first());
          case "character varying", "bit", "bit varying" ->
              from.first() > 0 ? from.first() : Long.MAX_VALUE / BYTES_PER_CHARACTER;
          default -> Long.MAX_VALUE / BYTES_PER_CHARACTER;
        };
    return switch (to.name()) {
      case "varchar" -> characters <= to.number(0, 1);
      case "tinytext" -> characters * BYTES_PER_CHARACTER <= 255;
      case "text" -> characters * BYTES_PER_CHARACTER <= 65_535;
      case "mediumtext" -> characters * BYTES_PER_CHARACTER <= 16_777_215;
      case "longtext" -> true;
      default -> false;
    };
  }
}
