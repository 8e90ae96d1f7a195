package dev.sluice.engine.validate.continuous;

import dev.sluice.config.TableId;
import dev.sluice.engine.validate.session.TableFindings;
import dev.sluice.engine.validate.session.TableFindings.End;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The tables that a pass reads no more, whatever is looked up of them later: sessions brought
 * nothing for them. Owned by the thread of the validation.
 */
final class GivenUpTables {
  private static final String NOT_IN_TIME =
      "it was not read within ValidationSnapshotAge, neither a part of it, nor all of it if it has"
          + " no key or the two sides order its key differently";

  private final int mostSessions;
  private final FruitlessSessions fruitless = new FruitlessSessions();
  private final Set<TableId> tables = new HashSet<>();

  /** Why the last session that read a table had not enough time for it. */
  private final Map<TableId, String> lastWhy = new HashMap<>();

  /**
   * @param mostSessions sessions in a row that may bring nothing for a table
   */
  GivenUpTables(int mostSessions) {
    this.mostSessions = mostSessions;
  }

  /** Takes over how a session ended for its tables, in their order. */
  void ended(List<TableFindings> session) {
    fruitless.ended(session);
    for (TableFindings table : session) {
      if (table.end() == End.OUT_OF_TIME) {
        table.why().ifPresent(why -> lastWhy.put(table.table(), why));
      }
      if (table.end() == End.REFUSED) {
        tables.add(table.table());
      }
      addIfFruitless(table.table());
    }
  }

  /** Takes over that a session had no time for a table. */
  void hadNoTime(TableId table) {
    fruitless.add(table);
    addIfFruitless(table);
  }

  private void addIfFruitless(TableId table) {
    if (fruitless.of(table) >= mostSessions) {
      tables.add(table);
    }
  }

  boolean has(TableId table) {
    return tables.contains(table);
  }

  /** Why a table that the pass needs was not read, if no session says more about it. */
  String why(TableId table) {
    String last = lastWhy.get(table);
    return last == null ? NOT_IN_TIME : NOT_IN_TIME + ". What ended the last session: " + last;
  }
}
