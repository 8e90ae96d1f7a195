package dev.sluice.connect.settings;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.Secret;
import dev.sluice.sink.target.TargetDialect;
import dev.sluice.sink.target.TargetLimit;
import dev.sluice.sink.target.kind.TargetServers;
import java.util.List;
import java.util.Optional;

/** Reads which target a connector has, and refuses what its type cannot do. Stateless. */
final class TargetSettings {
  private TargetSettings() {}

  /** The target; empty after a problem. */
  static Optional<Endpoint> read(GivenProperties properties, FieldProblems problems) {
    String type = properties.text(SinkConnectorProperties.TARGET_TYPE);
    String url = properties.text(SinkConnectorProperties.TARGET_URL);
    Optional<Problem> wrong = problemOf(type, url);
    if (wrong.isPresent()) {
      problems.add(SinkConnectorProperties.TARGET_TYPE, wrong.get());
      return Optional.empty();
    }
    String password = properties.text(SinkConnectorProperties.TARGET_PASSWORD, "");
    try {
      return Optional.of(
          Endpoint.ofTarget(
              type,
              SinkConnectorProperties.TARGET_URL,
              url,
              password.isEmpty() ? Secret.NONE : Secret.of(password)));
    } catch (SluiceException.Fatal e) {
      problems.add(SinkConnectorProperties.TARGET_URL, e, "");
      return Optional.empty();
    }
  }

  private static Optional<Problem> problemOf(String type, String url) {
    List<String> types = Endpoint.targetTypes();
    if (!types.contains(type)) {
      return Optional.of(
          new Problem(
              SinkConnectorProperties.TARGET_TYPE,
              type,
              "one of: " + String.join(", ", types),
              "Set it to the type of the database in target.url"));
    }
    Optional<String> ofUrl = Endpoint.typeOfTarget(url).filter(found -> !found.equals(type));
    if (ofUrl.isPresent()) {
      return Optional.of(
          new Problem(
              SinkConnectorProperties.TARGET_TYPE,
              "%s, and target.url is one of %s".formatted(type, ofUrl.get()),
              "the type of the database in target.url",
              "Set target.type=" + ofUrl.get()));
    }
    return Optional.empty();
  }

  /** Adds what the target's type cannot do and the properties ask for. */
  static void checkLimits(
      Endpoint target, TopicLayout layout, TableFormat table, FieldProblems problems) {
    TargetDialect dialect = TargetServers.dialectOf(target);
    if (layout == TopicLayout.JOURNAL && dialect.limits().contains(TargetLimit.JOURNALS)) {
      problems.add(
          SinkConnectorProperties.TOPIC_LAYOUT,
          new Problem(
              SinkConnectorProperties.TOPIC_LAYOUT,
              "a target of type %s has no %s"
                  .formatted(dialect.type(), TargetLimit.JOURNALS.text()),
              "another layout, of topics that Debezium's connector writes",
              "Let the journal's task write to the target itself: sluice run; or use a target of"
                  + " type "
                  + Endpoint.POSTGRESQL));
    }
    if (table.isInOneSchema()) {
      elsewhere(target, table.schema())
          .ifPresent(problem -> problems.add(SinkConnectorProperties.TARGET_TABLE, problem));
    }
  }

  /**
   * Requires that a table is where the target may be written to.
   *
   * @throws SluiceException.Fatal if it is in another database than the url's
   */
  static void requireInside(Endpoint target, TableId table) {
    // Most calls end here, so that the limits are looked at for few tables.
    if (table.schema().equals(target.database())) {
      return;
    }
    Optional<Problem> problem = elsewhere(target, table.schema());
    if (problem.isPresent()) {
      throw new SluiceException.Fatal(problem.get());
    }
  }

  private static Optional<Problem> elsewhere(Endpoint target, String schema) {
    boolean outside =
        !schema.equals(target.database())
            && TargetServers.dialectOf(target).limits().contains(TargetLimit.OTHER_DATABASES);
    return outside
        ? Optional.of(
            new Problem(
                "target database " + schema,
                "tables would be written there, and target.url names the database "
                    + target.database(),
                "tables in the database that target.url names, which is the only one that is"
                    + " written to",
                "If %1$s is meant, write it at the end of target.url. If %2$s is meant, set target.schema=%2$s"
                    .formatted(schema, target.database())))
        : Optional.empty();
  }
}
