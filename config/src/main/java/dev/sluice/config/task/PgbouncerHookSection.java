package dev.sluice.config.task;

import dev.sluice.config.document.Fields;
import dev.sluice.config.document.Node;
import dev.sluice.config.task.PgbouncerHookConfig.Proof;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** Reads one {@code pgbouncer} hook of a task file. Used for one file, by one thread. */
final class PgbouncerHookSection {
  private static final String DEFAULT_NAME = "pgbouncer";
  private static final String INSTANCES = "a list: host:port of each pgbouncer's admin console";
  private static final String LIKE = "Write it like [10.0.0.5:6432, 10.0.0.6:6432]";

  private final Fields fields;
  private final Function<Node.Mapping, Fields> within;

  /**
   * @param within gives the fields of a section, with references resolved
   */
  PgbouncerHookSection(Fields fields, Function<Node.Mapping, Fields> within) {
    this.fields = fields;
    this.within = within;
  }

  /** The hook; empty after a problem. */
  Optional<HookConfig> read() {
    int before = fields.problems().count();
    HookFields common = new HookFields(fields);
    String name = common.name().orElse(DEFAULT_NAME);
    fields.require("instances", INSTANCES, "Add instances:");
    List<HttpAddress> addresses = addresses(common);
    Optional<String> user =
        fields.requireText("user", "a name of pgbouncer's admin_users", "Add user:");
    Secret password = password(fields);
    Map<String, String> options = options();
    Optional<String> database = fields.text("database").filter(this::isNoConsole);
    boolean reload = fields.toggle("reload");
    Optional<Proof> proof = proof(database);
    Duration timeout = common.timeout();
    fields.refuseOthers();
    if (user.isEmpty() || fields.problems().count() > before) {
      return Optional.empty();
    }
    List<Endpoint> instances =
        addresses.stream()
            .map(
                address ->
                    new Endpoint(
                        address.host(),
                        address.port(),
                        PgbouncerHookConfig.CONSOLE,
                        user.get(),
                        password,
                        options))
            .toList();
    return Optional.of(new PgbouncerHookConfig(name, instances, database, reload, proof, timeout));
  }

  private List<HttpAddress> addresses(HookFields common) {
    List<HttpAddress> addresses = new ArrayList<>();
    for (Node item : common.list("instances", INSTANCES, LIKE)) {
      Optional<String> text = fields.textOf(item);
      if (text.isEmpty()) {
        continue;
      }
      Optional<HttpAddress> address =
          text.flatMap(HttpAddress::parse).filter(known -> known.port() > 0);
      if (address.isEmpty()) {
        fields.problems().add(item.place(), item.shown(), "host:port of an admin console", LIKE);
      } else if (addresses.contains(address.get())) {
        fields
            .problems()
            .add(item.place(), item.shown(), "each instance once", "Remove one of the two");
      } else {
        addresses.add(address.get());
      }
    }
    return addresses;
  }

  private static Secret password(Fields fields) {
    return fields.text("password").map(Secret::of).orElse(Secret.NONE);
  }

  private Map<String, String> options() {
    Map<String, String> options = new HashMap<>();
    fields
        .text("sslmode")
        .filter(
            mode -> fields.isAllowed("sslmode", mode, UrlForm.POSTGRESQL.choices().get("sslmode")))
        .ifPresent(mode -> options.put("sslmode", mode));
    fields.text("sslrootcert").ifPresent(file -> options.put("sslrootcert", file));
    return options;
  }

  private boolean isNoConsole(String database) {
    boolean valid = !database.equals(PgbouncerHookConfig.CONSOLE) && !database.isBlank();
    if (!valid) {
      fields.problem(
          "database", "a database of pgbouncer's configuration", "Name it as the applications do");
    }
    return valid;
  }

  private Optional<Proof> proof(Optional<String> paused) {
    Optional<Node.Mapping> section = fields.mapping("proof");
    if (section.isEmpty()) {
      return Optional.empty();
    }
    Fields proof = within.apply(section.get());
    Optional<String> database =
        proof.requireText(
            "database",
            "a second database of pgbouncer, with the same server as the paused one",
            "Add database:");
    Optional<String> user = proof.requireText("user", "who logs in through pgbouncer", "Add user:");
    Secret password = password(proof);
    proof.refuseOthers();
    if (paused.isEmpty() || paused.equals(database)) {
      fields.problem(
          "proof",
          "that the hook pauses one database, and proves through another one",
          "Add database: to the hook, with another value than the proof's");
    }
    return user.flatMap(who -> database.map(name -> new Proof(name, who, password)));
  }
}
