package dev.sluice.connector.mariadb.capture;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.source.CaptureScope;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.connector.mariadb.server.Flavour;
import dev.sluice.connector.mariadb.type.Collations;
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
  private final CaptureScope scope;
  private final Collations collations;
  private final ValuePolicy policy;
  private final Map<Long, Description> byNumber = new HashMap<>();

  CapturedTables(Flavour flavour, CaptureScope scope, Collations collations, ValuePolicy policy) {
    this.flavour = flavour;
    this.scope = scope;
    this.collations = collations;
    this.policy = policy;
  }

  Collations collations() {
    return collations;
  }

  /** Reads the description of a table. */
  void describe(LogBytes body) {
    int from = body.at();
    long number = body.number(6);
    body.goTo(from);
    Description known = byNumber.get(number);
    if (known != null
        && Arrays.equals(known.bytes(), 0, known.bytes().length, body.array(), from, body.end())) {
      return;
    }
    byte[] bytes = Arrays.copyOfRange(body.array(), from, body.end());
    byNumber.put(number, new Description(bytes, captured(body)));
  }

  /**
   * The table of a number, empty if it is not captured.
   *
   * @throws IllegalArgumentException if the log has not described it
   */
  Optional<CapturedTable> table(long number) {
    Description known = byNumber.get(number);
    if (known == null) {
      throw new IllegalArgumentException(
          "a change of the table number " + number + " without a description of it");
    }
    return known.table();
  }

  /** Forgets all numbers: a server that starts again gives them to other tables. */
  void forget() {
    byNumber.clear();
  }

  private Optional<CapturedTable> captured(LogBytes body) {
    TableId table = TableMap.nameOf(body);
    return scope
        .tables()
        .table(table)
        .filter(found -> found.kind() == CatalogTable.Kind.ORDINARY)
        .map(
            found ->
                CapturedTable.of(
                    TableMap.read(body, flavour),
                    found,
                    new ValueDecoders(table, collations, policy),
                    scope.oldRowsWanted().test(table)));
  }

  private record Description(byte[] bytes, Optional<CapturedTable> table) {}
}
