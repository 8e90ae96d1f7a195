package dev.sluice.engine.validate.continuous;

import dev.sluice.config.Counted;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.engine.validate.repair.RepairOutcome;
import dev.sluice.engine.validate.verdict.RowText;
import dev.sluice.sink.control.validation.RowFailure;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The attempts to repair what is due of one table: what they have done so far, and which rows
 * another one may repair. Does nothing itself. Owned by the thread of the validation.
 */
final class RepairAttempts {
  /** How often rows that were changed meanwhile are tried again, and then while windows wait. */
  static final int MOST = 3;

  /** Rows that windows wait for: their sessions must be short. */
  private static final int MOST_HELD = 1_000;

  /** Rows that are left, of which the answer names the keys. */
  private static final int NAMED = 10;

  private final Supplier<TableState> table;
  private final DueRepair due;

  /** Rows that the target refuses. */
  private final Set<String> refused = new HashSet<>();

  /** How often each row was left because the source had changed it meanwhile. */
  private final Map<String, Integer> changed = new HashMap<>();

  /** Rows that others on the target were changing when they were tried last. */
  private final Set<String> inOthersHands = new HashSet<>();

  /** Repaired rows of which changes are listed as rejected. */
  private final Set<String> rejectedBefore = new HashSet<>();

  private Optional<String> why = Optional.empty();
  private long repaired;

  /** Whether windows were held for one of them. */
  private boolean held;

  /**
   * @param table as it is known at present
   */
  RepairAttempts(Supplier<TableState> table, DueRepair due) {
    this.table = table;
    this.due = due;
  }

  /** The rows that another attempt may repair. */
  List<RowFailure> open() {
    return due.of(table.get()).stream().filter(row -> !refused.contains(row.key())).toList();
  }

  /** Those of them that had changed in each attempt. */
  List<RowFailure> hot() {
    return open().stream()
        .filter(row -> changed.getOrDefault(row.key(), 0) >= MOST)
        .limit(MOST_HELD)
        .toList();
  }

  /** Takes over that windows are held for those rows. */
  void held() {
    held = true;
  }

  /**
   * Takes over that rows were tried.
   *
   * @param key the table's key
   * @param repairedKeys of the rows among them that were repaired
   * @param refusedKeys of those that the target refuses
   */
  void tried(
      List<String> key,
      List<RowFailure> rows,
      RepairOutcome outcome,
      Set<String> repairedKeys,
      Set<String> refusedKeys) {
    repaired += outcome.count();
    why = refused.isEmpty() ? outcome.why() : why;
    refused.addAll(refusedKeys);
    for (RowFailure row : rows) {
      RowKey values = RowText.key(key, row.key());
      if (outcome.hot().contains(values)) {
        changed.merge(row.key(), 1, Integer::sum);
      }
      if (outcome.inOthersHands().contains(values)) {
        inOthersHands.add(row.key());
      } else {
        inOthersHands.remove(row.key());
      }
      if (row.rejection().isPresent() && repairedKeys.contains(row.key())) {
        rejectedBefore.add(row.key());
      }
    }
  }

  /** The number of rows that were repaired. */
  long repaired() {
    return repaired;
  }

  /** What was done, in words. */
  String words() {
    int left = due.alsoExtra().of(table.get()).size();
    return "%s: %s repaired%s%s"
        .formatted(
            due.table(),
            Counted.of(repaired, "row"),
            stillListed(),
            left == 0 ? "" : ", %d left: %s".formatted(left, whyLeft()));
  }

  /** A repair deletes no evidence: who has not seen the rejection yet must still find it. */
  private String stillListed() {
    return rejectedBefore.isEmpty()
        ? ""
        : ("; sluice_apply_exceptions still lists rejected changes of %s of them: once the table is"
                + " proven equal, delete these entries, or let sluice resync of %s do it")
            .formatted(rejectedBefore.size(), due.table());
  }

  /** Why rows are left, and which of them others have. */
  private String whyLeft() {
    List<RowFailure> open = open();
    if (open.isEmpty() && refused.isEmpty()) {
      return "only the target has them; --delete-extra deletes them";
    }
    List<String> ofOthers =
        named(open.stream().filter(row -> inOthersHands.contains(row.key())).toList());
    return ofOthers.isEmpty()
        ? why()
        : "%s; rows in open transactions of others: %s"
            .formatted(why(), String.join(", ", ofOthers));
  }

  private String why() {
    List<RowFailure> hot = hot();
    return hot.isEmpty() || !held || !refused.isEmpty()
        ? why.orElse("they are different again")
        : "they keep changing, also while windows were held for a moment: "
            + String.join(", ", named(hot));
  }

  /** The first keys of rows. */
  private static List<String> named(List<RowFailure> rows) {
    return rows.stream().map(RowFailure::key).limit(NAMED).toList();
  }
}
