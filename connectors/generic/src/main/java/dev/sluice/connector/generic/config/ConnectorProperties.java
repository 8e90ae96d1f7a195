package dev.sluice.connector.generic.config;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The properties of a connector: those of the task file, and those that Sluice depends on. One that
 * the file sets otherwise is a problem; none is replaced in silence. Immutable.
 *
 * @param connector whose class the file names
 * @param given the file's properties, with passwords; never shown
 */
public record ConnectorProperties(KnownConnector connector, Map<String, String> given) {
  /** What is found of a property that must not be there: never its value. */
  static final String SET = "it is set";

  private static final String OWNED =
      "Remove it from source.debezium.properties: transactions, offsets or values depend on it, and Sluice"
          + " sets it";

  private static final String UNKNOWN =
      "Remove it from source.debezium.properties: transactions, offsets, rows or values depend on it, or"
          + " may do so";

  /** What each connector has. */
  private static final Map<String, String> ALWAYS =
      Map.ofEntries(
          Map.entry("provide.transaction.metadata", "true"),
          Map.entry("tombstones.on.delete", "false"),
          // A restart inside the connector would not be seen here.
          Map.entry("errors.max.retries", "0"),
          Map.entry("event.processing.failure.handling.mode", "fail"),
          // By itself Debezium makes NULL of a value that it cannot convert.
          Map.entry("event.converting.failure.handling.mode", "fail"),
          Map.entry("skipped.operations", "none"),
          Map.entry("decimal.handling.mode", "precise"),
          Map.entry("binary.handling.mode", "bytes"),
          Map.entry("unavailable.value.placeholder", "__debezium_unavailable_value"),
          Map.entry("schema.name.adjustment.mode", "none"),
          Map.entry("field.name.adjustment.mode", "none"),
          Map.entry("include.schema.changes", "true"),
          Map.entry("extended.headers.enabled", "false"),
          Map.entry("heartbeat.interval.ms", "1000"),
          Map.entry("tasks.max", "1"));

  /**
   * What the file may set otherwise. Debezium hands over changes only after this interval, or with
   * a full batch: by itself half a second after the first of them.
   */
  private static final Map<String, String> BY_DEFAULT = Map.of("poll.interval.ms", "50");

  /** What is set at each start, from the task. */
  private static final Set<String> OF_THE_TASK =
      Set.of(
          "name",
          "connector.class",
          "topic.prefix",
          "snapshot.mode",
          "table.include.list",
          "table.exclude.list");

  /** Properties of a refused group that change no record, with the values that they may have. */
  private static final Map<String, String> ALLOWED =
      Map.of(
          "snapshot.fetch.size", "[0-9]+",
          "snapshot.delay.ms", "[0-9]+",
          "snapshot.lock.timeout.ms", "-?[0-9]+",
          "snapshot.locking.mode", "minimal|minimal_percona|extended|shared|exclusive",
          // Weaker ones read rows that do not fit together.
          "snapshot.isolation.mode", "exclusive|snapshot|repeatable_read");

  /**
   * All other properties that the file may set: logins, encryption, sizes, waits, and the names of
   * what the source has. Whatever is not listed may leave out rows, change values, or write to the
   * source.
   */
  private static final Pattern OPEN =
      Pattern.compile(
          "database\\.(ssl.*|encrypt|trust.*|server\\.id|pdb\\.name|instance|tcpKeepAlive)"
              + "|driver\\..+"
              + "|slot\\.name|publication\\.name|column\\.exclude\\.list"
              + "|max\\.(batch|queue)\\.size(\\.in\\.bytes)?|streaming\\.fetch\\.size"
              + "|poll\\.interval\\.ms|status\\.update\\.interval\\.ms"
              + "|connect\\.timeout\\.ms|connect\\.keep\\.alive(\\.interval\\.ms)?"
              + "|log\\.mining\\.(strategy|batch\\.size\\..+|sleep\\.time\\..+)"
              + "|cdc\\.(control|change\\.tables)\\.schema|db2\\.platform");

  public ConnectorProperties {
    given = Map.copyOf(given);
  }

  /** What every connector that is known has, except those that Sluice's build does not run. */
  static Optional<Problem> problemOf(String className) {
    return KnownConnector.ofClass(className).isPresent()
        ? Optional.empty()
        : Optional.of(
            new Problem(
                "source.debezium.properties, connector.class",
                className,
                "one of "
                    + List.of(KnownConnector.values()).stream()
                        .map(KnownConnector::className)
                        .collect(Collectors.joining(", ")),
                "How another connector names its transactions is not known, so it cannot be proven"
                    + " that none is lost or repeated"));
  }

  /** All properties that the file must not set, or sets otherwise; without values of others. */
  List<Problem> problems() {
    return List.copyOf(problemsByName().values());
  }

  /** The same by the property's name, and with those that the task file's url has. */
  Map<String, Problem> problemsOfFile() {
    Map<String, Problem> problems = new TreeMap<>(problemsByName());
    for (String name : ConnectorEndpoint.NAMES) {
      if (given.containsKey(name)) {
        problems.put(
            name,
            new Problem(
                "source.debezium.properties, " + name,
                SET,
                "no such property",
                "Remove it: source.url and source.password have host, port, database, user and"
                    + " password"));
      }
    }
    return problems;
  }

  private Map<String, Problem> problemsByName() {
    Map<String, String> owned = owned();
    Map<String, Problem> problems = new TreeMap<>();
    for (String name : new TreeSet<>(given.keySet())) {
      String value = given.get(name);
      if (owned.containsKey(name)) {
        if (!owned.get(name).equals(value)) {
          problems.put(name, problem(name, "it is " + value, owned.get(name)));
        }
      } else if (ALLOWED.containsKey(name)) {
        if (!value.matches(ALLOWED.get(name))) {
          problems.put(name, problem(name, "it is " + value, ALLOWED.get(name)));
        }
      } else if (OF_THE_TASK.contains(name)) {
        problems.put(name, problem(name, SET, "no such property"));
      } else if (!ConnectorEndpoint.NAMES.contains(name) && !OPEN.matcher(name).matches()) {
        problems.put(
            name,
            new Problem("source.debezium.properties, " + name, SET, "no such property", UNKNOWN));
      }
    }
    return problems;
  }

  private static Problem problem(String name, String found, String expected) {
    return new Problem("source.debezium.properties, " + name, found, expected, OWNED);
  }

  private Map<String, String> owned() {
    Map<String, String> owned = new TreeMap<>(ALWAYS);
    owned.putAll(connector.properties());
    return owned;
  }

  /** The name by which a task's connector knows its topics and its offset. */
  public static String topicPrefix(String task) {
    return "sluice-" + task;
  }

  /**
   * All properties of a run.
   *
   * @param tables that are captured
   * @param beginning where it begins; does not matter where it goes on
   * @param history properties of the history of definitions, if the connector keeps one
   */
  public Map<String, String> complete(
      String topicPrefix,
      Collection<TableId> tables,
      ConnectorBeginning beginning,
      Map<String, String> history) {
    Map<String, String> all = new HashMap<>(BY_DEFAULT);
    all.putAll(given);
    all.putAll(owned());
    all.put("name", topicPrefix);
    all.put("connector.class", connector.className());
    all.put("topic.prefix", topicPrefix);
    all.put("snapshot.mode", beginning.snapshotMode(connector));
    all.put(
        "table.include.list",
        tables.stream()
            .map(table -> literal(table.schema()) + "\\." + literal(table.name()))
            .sorted()
            .collect(Collectors.joining(",")));
    if (connector.hasSchemaHistory()) {
      all.putAll(history);
    }
    return all;
  }

  /** A regular expression for the text itself. */
  private static String literal(String text) {
    return text.replaceAll("[^A-Za-z0-9_]", "\\\\$0");
  }

  /** Names only: any value may be secret. */
  @Override
  public String toString() {
    return connector.className() + new TreeSet<>(given.keySet());
  }
}
