package dev.sluice.config.task;

import dev.sluice.config.document.Fields;
import dev.sluice.config.document.Node;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * Reads the sections {@code source} and {@code target} of a task file. Used for one file, by one
 * thread.
 */
final class EndpointSections {
  private static final Pattern REPLICATION_NAME = Pattern.compile("[a-z_][a-z0-9_]{0,62}");

  private final Function<Node.Mapping, Fields> within;

  /**
   * @param within gives the fields of a section, with references resolved
   */
  EndpointSections(Function<Node.Mapping, Fields> within) {
    this.within = within;
  }

  /** The source; empty after a problem. */
  Optional<SourceConfig> source(Fields fields, Optional<TaskName> task) {
    return fields
        .require("source", "the database to read from", "Add source: with type, url and password")
        .flatMap(fields::mappingOf)
        .flatMap(
            mapping -> {
              Fields source = within.apply(mapping);
              Optional<Endpoint> endpoint = endpoint(source);
              String type = source.text("type").orElse(SourceConfig.POSTGRESQL);
              String name = task.map(TaskName::replicationName).orElse("");
              String slot = replicationName(source, "slot-name", name);
              String publication = replicationName(source, "publication-name", name);
              boolean identityFull = source.toggle("replica-identity-full");
              boolean beside = source.toggle("triggers-beside-subscriptions");
              boolean takeSlot = source.toggle("take-slot");
              source.refuseOthers();
              return endpoint.map(
                  known ->
                      new SourceConfig(
                          type, known, slot, publication, identityFull, beside, takeSlot));
            });
  }

  /** The target; empty after a problem. */
  Optional<Endpoint> target(Fields fields) {
    return fields
        .require("target", "the database to write to", "Add target: with type, url and password")
        .flatMap(fields::mappingOf)
        .flatMap(
            mapping -> {
              Fields target = within.apply(mapping);
              Optional<Endpoint> endpoint = endpoint(target);
              target.refuseOthers();
              return endpoint;
            });
  }

  private Optional<Endpoint> endpoint(Fields fields) {
    fields
        .requireText("type", "postgresql", "Add type: postgresql")
        .filter(type -> !type.equals(SourceConfig.POSTGRESQL))
        .ifPresent(
            type ->
                fields.problem(
                    "type", "postgresql, the only type of this release", "Write type: postgresql"));
    Optional<String> url =
        fields.requireText(
            "url", "postgresql://user@host:port/database", "Add the url, without the password");
    Secret password = fields.text("password").map(Secret::of).orElse(Secret.NONE);
    return url.flatMap(
        text -> EndpointUrl.parse(fields.placeOf("url"), text, password, fields.problems()));
  }

  private String replicationName(Fields fields, String key, String defaultName) {
    Optional<String> name = fields.text(key);
    if (name.isPresent() && !REPLICATION_NAME.matcher(name.get()).matches()) {
      fields.problem(
          key,
          "1 to 63 lower-case letters, digits and _, not starting with a digit",
          "Choose another name, or remove the line: the default is sluice_ and the task's name");
    }
    return name.orElse(defaultName);
  }
}
