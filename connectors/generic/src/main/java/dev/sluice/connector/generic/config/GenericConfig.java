package dev.sluice.connector.generic.config;

import dev.sluice.config.document.Fields;
import dev.sluice.config.document.Problem;
import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.SourceConfig;
import dev.sluice.config.task.SourceType;
import dev.sluice.config.task.UrlForm;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * A source that a Debezium connector reads. Immutable; prints no property's value, since any may be
 * secret.
 *
 * @param endpoint the database, which the connector is given with user and password
 * @param folder with the connector's jars
 * @param connector that the file names
 * @param properties of the file, without those of the endpoint
 * @param jdbcUrl by which definitions are read; empty: made from the endpoint
 * @param takeSlot true: an existing slot of that name was made for this task, which owns it from
 *     its first start on
 */
public record GenericConfig(
    Endpoint endpoint,
    Path folder,
    KnownConnector connector,
    Map<String, String> properties,
    Optional<String> jdbcUrl,
    boolean takeSlot)
    implements SourceConfig {
  /** As the task file names it. */
  public static final String TYPE = "debezium";

  public static final UrlForm URL = new UrlForm(TYPE, List.of(), 0, List.of(), Map.of());

  private static final String SECTION = "debezium";
  private static final String TAKE_SLOT = "take-slot";
  private static final String CONNECTOR_CLASS = "connector.class";

  public GenericConfig {
    properties = Map.copyOf(properties);
  }

  /** Without a slot that is there before the task. */
  public GenericConfig(
      Endpoint endpoint,
      Path folder,
      KnownConnector connector,
      Map<String, String> properties,
      Optional<String> jdbcUrl) {
    this(endpoint, folder, connector, properties, jdbcUrl, false);
  }

  /** Reads section {@code source.debezium}; all of its problems at once. */
  public static Function<Endpoint, SourceConfig> read(Fields section, String defaultName) {
    Optional<Fields> own =
        section.requireSection(
            SECTION,
            "the connector: connector-folder and properties",
            "Add debezium: with connector-folder and properties");
    if (own.isEmpty()) {
      return endpoint -> null;
    }
    Fields fields = own.get();
    Optional<String> folder =
        fields.requireText(
            "connector-folder",
            "the folder with the connector's jars",
            "Unpack the connector's plugin archive, and name its folder");
    Optional<String> jdbcUrl = fields.text("jdbc-url");
    jdbcUrl
        .filter(url -> !url.startsWith("jdbc:") || hasPassword(url))
        .ifPresent(
            url ->
                fields
                    .problems()
                    .add(
                        fields.placeOf("jdbc-url"),
                        hasPassword(url)
                            ? "a user or a password inside the url"
                            : "it is no JDBC url",
                        "a url as jdbc:db2://host:50000/database, without user and password",
                        "Both are taken from source.url and source.password"));
    Map<String, String> properties = new TreeMap<>();
    Optional<KnownConnector> connector =
        fields
            .requireSection(
                "properties",
                "the connector's properties, with " + CONNECTOR_CLASS,
                "Add properties: with " + CONNECTOR_CLASS)
            .flatMap(given -> connector(given, properties, defaultName));
    boolean takeSlot = fields.toggle(TAKE_SLOT);
    if (takeSlot && connector.filter(known -> known != KnownConnector.POSTGRESQL).isPresent()) {
      fields.problem(
          TAKE_SLOT,
          "false: only PostgreSQL has replication slots",
          "Remove it, or set it to false");
    }
    fields.refuseOthers();
    return endpoint ->
        folder.isEmpty() || connector.isEmpty()
            ? null
            : new GenericConfig(
                withPort(endpoint, connector.get()),
                Path.of(folder.get()),
                connector.get(),
                properties,
                jdbcUrl,
                takeSlot);
  }

  /** Where such a slot begins shows in no file, so a wrong one would be taken in silence. */
  @Override
  public Optional<SourceType.WrongPosition> problemWithoutStart() {
    return takeSlot
        ? Optional.of(
            new SourceType.WrongPosition(
                "the place up to which the target has all changes, with source.debezium.take-slot:"
                    + " true",
                "Write cdc-start-position, with migration-type: cdc. Or remove"
                    + " source.debezium.take-slot: the task makes a slot of another name then, and"
                    + " has no change of before"))
        : Optional.empty();
  }

  private static Endpoint withPort(Endpoint endpoint, KnownConnector connector) {
    return endpoint.port() != 0
        ? endpoint
        : new Endpoint(
            endpoint.type(),
            endpoint.host(),
            connector.defaultPort(),
            endpoint.database(),
            endpoint.user(),
            endpoint.password(),
            endpoint.options());
  }

  /** By its name, or as user/password@host. Oracle's {@code thin:@host} has no password. */
  private static boolean hasPassword(String url) {
    int at = url.indexOf('@');
    return url.toLowerCase(Locale.ROOT).contains("password") || at > 0 && url.charAt(at - 1) != ':';
  }

  private static Optional<KnownConnector> connector(
      Fields given, Map<String, String> properties, String defaultName) {
    Optional<String> className =
        given.requireText(
            CONNECTOR_CLASS,
            "the class of a connector that is known",
            "Add " + CONNECTOR_CLASS + ": io.debezium.connector.db2.Db2Connector");
    properties.putAll(given.texts());
    properties.remove(CONNECTOR_CLASS);
    Optional<KnownConnector> connector = className.flatMap(KnownConnector::ofClass);
    className
        .flatMap(ConnectorProperties::problemOf)
        .ifPresent(problem -> add(given, CONNECTOR_CLASS, problem));
    connector.ifPresent(
        known -> {
          new ConnectorProperties(known, properties)
              .problemsOfFile()
              .forEach((name, problem) -> add(given, name, problem));
          known
              .required()
              .forEach((name, what) -> given.requireText(name, what, "Add " + name + ": " + what));
          known.defaults(defaultName).forEach(properties::putIfAbsent);
        });
    return connector;
  }

  private static void add(Fields given, String name, Problem problem) {
    // As it is written, since what a reference stands for may be secret; and only where it matters,
    // since what should not be there at all may be a password.
    String found =
        problem.found().equals(ConnectorProperties.SET)
            ? problem.found()
            : given.take(name).map(value -> "it is " + value.shown()).orElse(problem.found());
    given.problems().add(given.placeOf(name), found, problem.expected(), problem.fix());
  }

  /** The file's properties with those of the endpoint. */
  public ConnectorProperties connectorProperties() {
    Map<String, String> all = new TreeMap<>(properties);
    all.putAll(new ConnectorEndpoint(connector, endpoint).properties());
    return new ConnectorProperties(connector, all);
  }

  /** The file's property; empty if it is not set. */
  Optional<String> property(String name) {
    return Optional.ofNullable(properties.get(name));
  }

  public ExcludedColumns excludedColumns() {
    return ExcludedColumns.of(property("column.exclude.list"));
  }

  /** The slot that the connector makes; empty if its database has none. */
  public Optional<String> slot() {
    return connector == KnownConnector.POSTGRESQL ? property("slot.name") : Optional.empty();
  }

  /** By which definitions are read, without user and password. */
  public String definitionsUrl() {
    return jdbcUrl.orElseGet(() -> new ConnectorEndpoint(connector, endpoint).jdbcUrl(properties));
  }

  @Override
  public String toString() {
    return "%s by %s in %s, properties %s"
        .formatted(endpoint, connector.className(), folder, new TreeMap<>(properties).keySet());
  }
}
