package dev.sluice.engine.cutover.hook;

import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.PgbouncerHookConfig;
import dev.sluice.engine.cutover.hook.pgbouncer.ConsoleFailure;
import dev.sluice.engine.cutover.hook.pgbouncer.PgbouncerConsole;
import dev.sluice.engine.cutover.hook.pgbouncer.PoolState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Pauses, reloads and resumes all instances of pgbouncer. Either all of them are paused, or the
 * pause fails.
 */
final class PgbouncerHook implements CutoverHook {
  private final PgbouncerHookConfig config;
  private final EachInstance each;

  PgbouncerHook(PgbouncerHookConfig config) {
    this.config = config;
    this.each = new EachInstance(config.instances());
  }

  @Override
  public String name() {
    return config.name();
  }

  @Override
  public Duration timeout() {
    return config.timeout();
  }

  @Override
  public Optional<String> byHand() {
    return Optional.of(
        "send %s to the admin console of pgbouncer at %s"
            .formatted(command("RESUME"), EachInstance.addresses(config.instances())));
  }

  private String command(String verb) {
    return verb + config.database().map(name -> " " + name).orElse("") + ";";
  }

  @Override
  public List<String> check(Duration longestPause, Duration timeout)
      throws HookFailure, InterruptedException {
    Map<Endpoint, PoolState> states =
        each.once(
            timeout,
            "Start the instance, or correct its address, user or password",
            (instance, console) -> console.state());
    PoolChecks checks = new PoolChecks(config, longestPause);
    states.forEach((instance, state) -> checks.add(EachInstance.address(instance), state));
    return checks.warnings();
  }

  /**
   * A connection that is cut while its PAUSE waits leaves the pool paused: the caller resumes it.
   */
  @Override
  public List<String> pause(HookCall call) throws HookFailure, InterruptedException {
    return lines(
        each.once(
            call.timeout(),
            "Look at SHOW SERVERS for the transactions that stay open, or raise the hook's timeout",
            (instance, console) -> {
              console.pause(config.database());
              return "paused";
            }));
  }

  @Override
  public List<String> switchOver(HookCall call) throws HookFailure, InterruptedException {
    if (!config.reload() && config.proof().isEmpty()) {
      return List.of();
    }
    return lines(
        each.retried(
            call.timeout(),
            "Point pgbouncer at the target, send it RELOAD; and "
                + command("RESUME")
                + " where it is still paused",
            this::reload));
  }

  private String reload(Endpoint instance, PgbouncerConsole console) throws ConsoleFailure {
    List<String> done = new ArrayList<>();
    if (config.reload()) {
      console.reload();
      done.add("reloaded");
    }
    Map<String, PoolState.Database> databases = console.state().databases();
    config
        .database()
        .map(databases::get)
        .ifPresent(database -> done.add("its server is " + database.server()));
    if (config.proof().isPresent()) {
      prove(instance, config.proof().get(), databases);
      done.add("a login reached it");
    }
    return String.join(", ", done);
  }

  /** Logs in through a database that is not paused, and has the same server. */
  private void prove(
      Endpoint instance, PgbouncerHookConfig.Proof proof, Map<String, PoolState.Database> known)
      throws ConsoleFailure {
    PoolState.Database paused = known.get(config.database().orElseThrow());
    PoolState.Database open = known.get(proof.database());
    if (paused == null || open == null || !paused.server().equals(open.server())) {
      throw new ConsoleFailure(
          "%s: %s and %s have different servers: %s"
              .formatted(
                  EachInstance.address(instance),
                  config.database().get(),
                  proof.database(),
                  known));
    }
    Endpoint login =
        new Endpoint(
            instance.host(),
            instance.port(),
            proof.database(),
            proof.user(),
            proof.password(),
            instance.options());
    try (PgbouncerConsole through = new PgbouncerConsole(login)) {
      through.open(config.timeout());
      if (!through.isPrimary()) {
        throw new ConsoleFailure(
            "%s: the server behind %s is in recovery"
                .formatted(EachInstance.address(instance), proof.database()));
      }
    }
  }

  /** On connections of its own: those of the pause may be gone. */
  @Override
  public List<String> resume(HookCall call) throws HookFailure, InterruptedException {
    return lines(
        each.retried(
            call.timeout(),
            "Let the applications go by hand: " + byHand().orElseThrow(),
            (instance, console) -> {
              console.resume(config.database());
              return "resumed";
            }));
  }

  private static List<String> lines(Map<Endpoint, String> done) {
    return done.entrySet().stream()
        .map(entry -> EachInstance.address(entry.getKey()) + ": " + entry.getValue())
        .collect(Collectors.toList());
  }
}
