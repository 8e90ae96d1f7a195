package dev.sluice.engine.cutover.hook;

import dev.sluice.config.task.PgbouncerHookConfig;
import dev.sluice.engine.cutover.hook.pgbouncer.PoolState;
import dev.sluice.engine.cutover.hook.pgbouncer.PoolState.Pooler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** What stands in the way of a pause, by the state of each instance. Owned by one thread. */
final class PoolChecks {
  private final PgbouncerHookConfig config;
  private final Duration longestPause;
  private final List<String> wrong = new ArrayList<>();
  private final Set<String> expected = new LinkedHashSet<>();
  private final Set<String> fixes = new LinkedHashSet<>();
  private final List<String> warnings = new ArrayList<>();

  PoolChecks(PgbouncerHookConfig config, Duration longestPause) {
    this.config = config;
    this.longestPause = longestPause;
  }

  /**
   * The warnings about all instances.
   *
   * @throws HookFailure with everything that stands in the way
   */
  List<String> warnings() throws HookFailure {
    if (!wrong.isEmpty()) {
      throw new HookFailure(
          String.join("; ", wrong),
          String.join("; ", expected),
          String.join("; ", fixes),
          warnings);
    }
    return warnings;
  }

  void add(String instance, PoolState state) {
    Map<String, PoolState.Database> paused = new TreeMap<>(state.databases());
    config.database().ifPresent(name -> paused.keySet().retainAll(Set.of(name)));
    checkState(instance, state, paused);
    state
        .queryTimeout()
        .filter(timeout -> timeout.compareTo(longestPause) <= 0)
        .ifPresent(
            timeout ->
                wrong(
                    "%s: query_wait_timeout is %d s: it drops clients that wait longer"
                        .formatted(instance, timeout.toSeconds()),
                    "more than the longest pause, " + longestPause.toSeconds() + " s",
                    "Raise query_wait_timeout, or lower the budget and the timeouts of hooks"));
    paused.forEach(
        (name, database) -> {
          if (database.session()) {
            warnings.add(
                "%s: %s has session pools: a pause waits until their clients disconnect"
                    .formatted(instance, name));
          }
        });
    if (!state.sessionUsers().isEmpty()) {
      warnings.add(
          "%s: users with session pools, on whose clients' end a pause waits: %s"
              .formatted(instance, String.join(", ", state.sessionUsers())));
    }
  }

  private void checkState(
      String instance, PoolState state, Map<String, PoolState.Database> paused) {
    if (state.pooler() == Pooler.READ_ONLY) {
      wrong(
          instance + ": the user may not pause",
          "a user of admin_users",
          "Add the user to admin_users in pgbouncer.ini and reload pgbouncer");
    }
    List<String> held =
        paused.entrySet().stream()
            .filter(entry -> entry.getValue().paused())
            .map(Map.Entry::getKey)
            .toList();
    if (state.pooler() == Pooler.PAUSED || !held.isEmpty()) {
      wrong(
          "%s: %s paused already, by somebody else"
              .formatted(instance, held.isEmpty() ? "it is" : String.join(", ", held) + " is"),
          "nothing that is paused: Sluice would resume it",
          "Find out who paused it and why, and send RESUME");
    }
    for (String name : needed()) {
      if (!state.databases().containsKey(name)) {
        wrong(
            instance + ": no database " + name,
            "each database of the hook by its name, not by *",
            "Add it to [databases] of pgbouncer.ini and reload pgbouncer");
      }
    }
  }

  private List<String> needed() {
    List<String> names = new ArrayList<>();
    config.database().ifPresent(names::add);
    config.proof().ifPresent(proof -> names.add(proof.database()));
    return names;
  }

  private void wrong(String found, String expect, String fix) {
    wrong.add(found);
    expected.add(expect);
    fixes.add(fix);
  }
}
