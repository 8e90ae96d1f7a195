package dev.sluice.connector.mariadb.capture;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.source.CaptureScope;
import dev.sluice.connector.mariadb.server.Flavour;
import dev.sluice.connector.mariadb.type.Collations;
import dev.sluice.connector.mariadb.type.LoggedTypes;
import dev.sluice.connector.mariadb.type.ValueDecoders;
import dev.sluice.connector.mariadb.type.ValuePolicy;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/*
 * A server describes a table before the changes of each statement, mostly as it did before. Most of
 * the decoding would be spent on that.
 */
/**
 * The captured tables by the numbers that the log gives them. Owned by the thread that decodes the
 * log.
 */
final class CapturedTables {
  private final Flavour flavour;
  private final KnownTables known;
  private final CaptureScope scope;
  private final Collations collations;
  private final ValuePolicy policy;
  private final Cascades cascades;
  private final Map<Long, Description> byNumber = new HashMap<>();

  /** Whether rows are decoded, and not only descriptions. */
  private boolean decodesRows = true;

  CapturedTables(
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
  static CapturedTables withoutRows(LogServer server, KnownTables known, CaptureScope scope) {
    CapturedTables tables =
        new CapturedTables(
            server.flavour(), known, scope, server.collations(), ValuePolicy.REFUSE, Cascades.NONE);
    tables.decodesRows = false;
    return tables;
  }

  /** What is read next stands behind this end of a transaction. */
  void reach(BinlogPosition boundary) {
    known.reach(boundary);
  }

  Collations collations() {
    return collations;
  }

  /** Reads the description of a table. */
  void describe(LogBytes body) {
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
    byNumber.put(number, new Description(bytes, known.version(), table, captured(table, body)));
  }

  /**
   * The table of a number, empty if it is not captured.
   *
   * @throws IllegalArgumentException if the log has not described it
   */
  Optional<CapturedTable> table(long number) {
    return described(number).captured();
  }

  /**
   * Requires that the log has what a change of a table has changed by foreign keys.
   *
   * @throws SluiceException.Fatal if it may lack rows of a captured table
   * @throws IllegalArgumentException if the log has not described the table
   */
  void requireLogged(long number, int type, int flags) {
    cascades.requireLogged(described(number).table(), type, flags);
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
  void forget() {
    byNumber.clear();
  }

  private Optional<CapturedTable> captured(TableId table, LogBytes body) {
    if (!known.isCaptured(table)) {
      return Optional.empty();
    }
    TableMap logged = TableMap.read(body, flavour);
    return known
        .describe(logged, new LoggedTypes(flavour, collations))
        .filter(found -> decodesRows)
        .map(
            found ->
                CapturedTable.of(
                    logged,
                    found,
                    new ValueDecoders(table, collations, policy),
                    scope.oldRowsWanted().test(table)));
  }

  private record Description(
      byte[] bytes, int version, TableId table, Optional<CapturedTable> captured) {}
}
