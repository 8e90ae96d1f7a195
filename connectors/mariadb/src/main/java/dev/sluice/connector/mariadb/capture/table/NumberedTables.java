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
 * A server describes a table before the changes of each statement, mostly as it did before. Most of
 * the decoding would be spent on that.
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

  /** What an earlier capture knew at a place after the start, until it is reached. */
  private Optional<LastTables.Known> learned = Optional.empty();

  private BinlogPosition reached;

  /** The version of what was known where that place was reached. */
  private int atBoundary;

  /** Whether rows are decoded, and not only descriptions. */
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
   * What is read next stands after this end of a transaction.
   *
   * @param history of that place
   */
  public void reach(BinlogPosition boundary, LogHistory history) {
    if (learned.isPresent() && boundary.compareTo(BinlogPosition.of(learned.get().at())) >= 0) {
      // The rest of another history's log, or of a file that a crash cut off, has no such place.
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

  /** What is known at that place; empty if a statement after it was read already. */
  public Optional<LastTables.Known> knownAt(BinlogPosition boundary, LogHistory history) {
    return boundary.equals(reached) && atBoundary == known.version()
        ? Optional.of(new LastTables.Known(boundary.position(history), known))
        : Optional.empty();
  }

  /** Takes over what an earlier capture of the task knew, once its place is reached. */
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
   * Requires that the log has what a change of a table has changed by foreign keys.
   *
   * @throws SluiceException.Fatal if it may lack rows of a captured table
   * @throws IllegalArgumentException if the log has not described the table
   */
  public void requireLogged(long number, int type, int flags) {
    TableId table = described(number).table();
    cascades.requireLogged(table, type, flags);
    TableId firstName = known.names().first(table);
    if (!firstName.equals(table)) {
      // The keys are known by the names that the tables had at the start.
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

  /** Forgets all numbers: a server that starts again gives them to other tables. */
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
