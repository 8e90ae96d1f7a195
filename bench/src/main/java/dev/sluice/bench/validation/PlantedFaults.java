package dev.sluice.bench.validation;

import dev.sluice.bench.server.Database;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Faults of a table on the target, in rows that the workload does not write. Immutable.
 *
 * @param kinds the kind of each fault, by the key of its row
 */
record PlantedFaults(Map<Integer, String> kinds) {
  private static final int BEYOND = 10_000_000;

  /** Changes one row, whose id stands for the placeholder. */
  private static final Map<String, String> CHANGES = new LinkedHashMap<>();

  static {
    CHANGES.put("changed cell", "UPDATE ledger SET balance = balance + 0.01 WHERE id = %d");
    CHANGES.put("missing row", "DELETE FROM ledger WHERE id = %d");
    CHANGES.put("NaN", "UPDATE ledger SET amount = 'NaN' WHERE id = %d");
    CHANGES.put("-0", "UPDATE ledger SET amount = '-0' WHERE id = %d");
    CHANGES.put("time zone", "UPDATE ledger SET at = at + interval '1 hour' WHERE id = %d");
    CHANGES.put(
        "trailing space", "UPDATE ledger SET note = coalesce(note, '') || ' ' WHERE id = %d");
    CHANGES.put(
        "NULL against empty",
        "UPDATE ledger SET note = CASE WHEN note IS NULL THEN '' END WHERE id = %d");
  }

  private static final String SWAPPED = "cells swapped between two rows";
  private static final String EXTRA = "extra row beyond the largest key";

  /** Plants so many faults, of each kind about as many. */
  static PlantedFaults plant(Database target, int faults, Random random) throws SQLException {
    List<Integer> ids = new ArrayList<>();
    for (int id = MixedWorkload.WRITTEN + 1; id <= MixedWorkload.LEDGER; id++) {
      ids.add(id);
    }
    Collections.shuffle(ids, random);
    Map<Integer, String> kinds = new TreeMap<>();
    List<String> statements = new ArrayList<>();
    int next = 0;
    int each = Math.max(1, faults / (CHANGES.size() + 2));
    for (Map.Entry<String, String> change : CHANGES.entrySet()) {
      for (int i = 0; i < each; i++) {
        int id = ids.get(next++);
        kinds.put(id, change.getKey());
        statements.add(change.getValue().formatted(id));
      }
    }
    for (int i = 0; i + 1 < each; i += 2) {
      int one = ids.get(next++);
      int other = ids.get(next++);
      kinds.put(one, SWAPPED);
      kinds.put(other, SWAPPED);
      statements.add(
          "UPDATE ledger a SET balance = b.balance FROM ledger b WHERE a.id IN (%1$d, %2$d) AND b.id IN (%1$d, %2$d) AND a.id <> b.id"
              .formatted(one, other));
    }
    while (kinds.size() < faults) {
      int id = BEYOND + kinds.size();
      kinds.put(id, EXTRA);
      statements.add("INSERT INTO ledger VALUES (" + id + ", 1, 1, now(), 'extra')");
    }
    Collections.shuffle(statements, random);
    target.execute(statements);
    return new PlantedFaults(kinds);
  }

  /** What is listed on the target: the keys of ledger, and the differences of other tables. */
  record Listed(Set<Integer> ids, long elsewhere) {
    static Listed read(Database target) throws SQLException {
      Set<Integer> ids = new TreeSet<>();
      long elsewhere = 0;
      try (Connection connection = target.connect();
          Statement statement = connection.createStatement();
          ResultSet row =
              statement.executeQuery(
                  "SELECT table_name, key::json ->> 'id'"
                      + " FROM sluice_control.sluice_validation_failures_v2"
                      + " WHERE resync_result IS NULL")) {
        while (row.next()) {
          if (row.getString(1).equals("ledger")) {
            ids.add(row.getInt(2));
          } else {
            elsewhere++;
          }
        }
      }
      return new Listed(ids, elsewhere);
    }
  }

  /** A line of a table for each kind: planted and found. */
  List<String> lines(Set<Integer> found) {
    Map<String, int[]> counts = new TreeMap<>();
    kinds.forEach(
        (id, kind) -> {
          int[] count = counts.computeIfAbsent(kind, any -> new int[2]);
          count[0]++;
          count[1] += found.contains(id) ? 1 : 0;
        });
    return counts.entrySet().stream()
        .map(
            entry ->
                "| %s | %d | %d |"
                    .formatted(entry.getKey(), entry.getValue()[0], entry.getValue()[1]))
        .toList();
  }
}
