package dev.sluice.engine.validate.continuous;

import dev.sluice.config.TableId;
import dev.sluice.config.transformation.ColumnNames;
import dev.sluice.engine.validate.verdict.RowText;
import dev.sluice.sink.control.report.RejectedRows;
import dev.sluice.sink.control.report.RejectedRows.Entry;
import dev.sluice.sink.control.validation.RowFailure;
import dev.sluice.sink.control.validation.ValidationStore.Outcome;
import dev.sluice.sink.target.TargetServer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Notes for differing rows that the target has rejected a change of them, so that the difference is
 * expected. It still counts: it is not known whether that change is the only reason. Immutable,
 * threadsafe.
 *
 * @param names names of columns on the target, with which rejected changes are listed
 */
record RejectedDifferences(RejectedRows rejected, TargetServer server, ColumnNames names) {

  /** The same findings, with the rejected changes of their rows. */
  Outcome noted(Outcome outcome) {
    if (outcome.found().isEmpty()) {
      return outcome;
    }
    TableId table = outcome.now().table();
    Map<Map<String, String>, Optional<Entry>> newest = new HashMap<>();
    outcome.found().forEach(row -> newest.put(onTarget(table, row), Optional.empty()));
    rejected.newest(
        server,
        table,
        entry ->
            keysOf(entry)
                .forEach(
                    key ->
                        newest.computeIfPresent(
                            key, (any, known) -> known.or(() -> Optional.of(entry)))));
    return new Outcome(
        outcome.now(),
        outcome.found().stream()
            .map(
                row ->
                    row.rejected(newest.get(onTarget(table, row)).map(RejectedDifferences::words)))
            .toList(),
        outcome.equal());
  }

  private Map<String, String> onTarget(TableId table, RowFailure row) {
    Map<String, String> key = new HashMap<>();
    RowText.values(row.key()).forEach((name, value) -> key.put(names.orSame(table, name), value));
    return key;
  }

  /** The row's key before the change, and after it. */
  private static List<Map<String, String>> keysOf(Entry entry) {
    Map<String, String> before = RowText.values(entry.key());
    List<Map<String, String>> keys = new ArrayList<>();
    keys.add(before);
    entry
        .row()
        .map(RowText::values)
        .ifPresent(
            row -> {
              Map<String, String> after = new LinkedHashMap<>(before);
              after.replaceAll((name, value) -> row.containsKey(name) ? row.get(name) : value);
              keys.add(after);
            });
    return keys;
  }

  private static String words(Entry entry) {
    return ("its %s at %s was rejected (%s): %s; id %d of sluice_apply_exceptions. Change what the"
            + " target rejects, then run sluice repair")
        .formatted(entry.operation(), entry.position(), entry.kind(), entry.error(), entry.id());
  }
}
