package dev.sluice.connector.mariadb.capture.table;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.source.CaptureScope;
import dev.sluice.connector.mariadb.capture.position.BinlogPosition;
import dev.sluice.connector.mariadb.capture.position.LogHistory;
import dev.sluice.connector.mariadb.capture.position.LogServer;
import dev.sluice.connector.mariadb.capture.stream.LogBytes;
import dev.sluice.connector.mariadb.filter.LoggedRows;
import dev.sluice.connector.mariadb.server.Flavour;
import dev.sluice.connector.mariadb.server.ValuePolicy;
import dev.sluice.connector.mariadb.type.Collations;
import dev.sluice.connector.mariadb.type.LoggedTypes;
import dev.sluice.connector.mariadb.type.ValueDecoders;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/*
 * A server describes a table before the changes of each statement, mostly unchanged. Decoding each
 * description would take most of the time, so equal ones are not decoded again.
 */
/**
 * The captured tables by the numbers that the log gives them. Owned by the thread that decodes the
 * log.
 */
public final class NumberedTables {
  private final Flavour flavour;
  private final KnownTables known;
  private final CaptureScope scope;
  private final Collations collations;
  private final ValuePolicy policy;
  private final Cascades cascades;
  private final Map<Long, Description> byNumber = new HashMap<>();

  /** Tables with rows that cannot be decoded, until the log describes them otherwise. */
  private final Set<TableId> obstructed = new HashSet<>();

  /**
   * The tables that an earlier capture knew at a place after the start, until that place is
   * reached.
   */
  private Optional<LastTables.Known> learned = Optional.empty();

  private BinlogPosition reached;

  /** The version of the known tables when that place was reached. */
  private int atBoundary;

  /** Whether rows are decoded as well, and not only descriptions. */
  private boolean decodesRows = true;

  public NumberedTables(
      Flavour flavour,
      KnownTables known,
      CaptureScope scope,
      Collations collations,
      ValuePolicy policy,
      Cascades cascades) {
    this.flavour = flavour;
    this.known = known;
    this.scope = scope;
    this.collations = collations;
    this.policy = policy;
    this.cascades = cascades;
  }

  /** Tables of which only the descriptions are read. */
  public static NumberedTables withoutRows(
      LogServer server, KnownTables known, CaptureScope scope) {
    NumberedTables tables =
        new NumberedTables(
            server.flavour(), known, scope, server.collations(), ValuePolicy.REFUSE, Cascades.NONE);
    tables.decodesRows = false;
    return tables;
  }

  /**
   * Notes the end of the transaction after which the next events are.
   *
   * @param history of that place
   */
  public void reach(BinlogPosition boundary, LogHistory history) {
    if (learned.isPresent() && boundary.compareTo(BinlogPosition.of(learned.get().at())) >= 0) {
      // There is no such place in a log with another history, or in a file that a crash cut off.
      if (boundary.position(history).equals(learned.get().at())) {
        known.learn(learned.get().tables());
      }
      learned = Optional.empty();
    }
    known.reach(boundary);
    if (!boundary.equals(reached)) {
      reached = boundary;
      atBoundary = known.version();
    }
  }

  /** The tables that are known at that place; empty if a statement after it was already read. */
  public Optional<LastTables.Known> knownAt(BinlogPosition boundary, LogHistory history) {
    return boundary.equals(reached) && atBoundary == known.version()
        ? Optional.of(new LastTables.Known(boundary.position(history), known))
        : Optional.empty();
  }

  /** Uses the tables of an earlier capture of the task once its place is reached. */
  public NumberedTables learning(Optional<LastTables.Known> earlier) {
    learned = earlier;
    return this;
  }

  public Collations collations() {
    return collations;
  }

  /** Reads the description of a table. */
  public void describe(LogBytes body) {
    int from = body.at();
    long number = body.number(6);
    body.goTo(from);
    Description last = byNumber.get(number);
    if (last != null
        && last.version() == known.version()
        && Arrays.equals(last.bytes(), 0, last.bytes().length, body.array(), from, body.end())) {
      return;
    }
    byte[] bytes = Arrays.copyOfRange(body.array(), from, body.end());
    TableId table = TableMap.nameOf(body);
    byNumber.put(number, description(bytes, table, body));
  }

  private Description description(byte[] bytes, TableId table, LogBytes body) {
    Optional<CapturedTable> captured = Optional.empty();
    Optional<String> hindrance = Optional.empty();
    if (known.isCaptured(table)) {
      TableMap logged = TableMap.read(body, flavour);
      LoggedTypes types = new LoggedTypes(flavour, collations);
      hindrance =
          known
              .hindrance(logged, types)
              .or(
                  () ->
                      scope
                          .filterOf()
                          .apply(table)
                          .flatMap(
                              filter -> LoggedRows.hindrance(filter, logged.columns(), types)));
      if (hindrance.isEmpty()) {
        captured = captured(logged, types);
        obstructed.remove(table);
      }
    }
    return new Description(bytes, known.version(), table, captured, hindrance);
  }

  /**
   * The table of a number, empty if it is not captured.
   *
   * @throws IllegalArgumentException if the log has not described it
   */
  public Optional<CapturedTable> table(long number) {
    return described(number).captured();
  }

  /**
   * The obstacle of a table whose rows cannot be decoded: they are skipped. It is given once, at
   * the first of them.
   *
   * @throws IllegalArgumentException if the log has not described the table
   */
  public Optional<ChangeEvent> obstacle(long number) {
    Description described = described(number);
    TableId table = described.table();
    if (described.hindrance().isEmpty() || !obstructed.add(table)) {
      return Optional.empty();
    }
    ChangeEvent obstacle =
        TableObstacle.of("rows", List.of(known.definition(table)), described.hindrance().get());
    known.lost(table);
    return Optional.of(obstacle);
  }

  /**
   * Requires that the log has all rows that a change of a table changed through foreign keys.
   *
   * @throws SluiceException.Fatal if it may lack rows of a captured table
   * @throws IllegalArgumentException if the log has not described the table
   */
  public void requireLogged(long number, int type, int flags) {
    TableId table = described(number).table();
    cascades.requireLogged(table, type, flags);
    TableId firstName = known.names().first(table);
    if (!firstName.equals(table)) {
      // The foreign keys have the names that the tables had at the start.
      cascades.requireLogged(firstName, type, flags);
    }
  }

  private Description described(long number) {
    Description described = byNumber.get(number);
    if (described == null) {
      throw new IllegalArgumentException(
          "a change of the table number " + number + " without a description of it");
    }
    return described;
  }

  /** Forgets all numbers: after a restart the server gives them to other tables. */
  public void forget() {
    byNumber.clear();
  }

  private Optional<CapturedTable> captured(TableMap logged, LoggedTypes types) {
    return known
        .describe(logged, types)
        .filter(found -> decodesRows)
        .map(
            found ->
                CapturedTable.of(
                    logged,
                    found,
                    new ValueDecoders(logged.table(), collations, policy),
                    scope.oldRowsWanted().test(logged.table()),
                    scope
                        .filterOf()
                        .apply(logged.table())
                        .map(filter -> LoggedRows.of(filter, logged.columns(), types))));
  }

  /**
   * @param captured empty also if its rows cannot be decoded
   * @param hindrance why the rows of a captured table cannot be decoded
   */
  private record Description(
      byte[] bytes,
      int version,
      TableId table,
      Optional<CapturedTable> captured,
      Optional<String> hindrance) {}
}
