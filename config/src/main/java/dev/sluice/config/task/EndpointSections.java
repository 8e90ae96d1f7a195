package dev.sluice.config.task;

import dev.sluice.config.document.Fields;
import dev.sluice.config.document.Node;
import java.util.Optional;
import java.util.function.Function;

/**
 * Reads the sections {@code source} and {@code target} of a task file, by the types that they name.
 * Used for one file, by one thread.
 */
final class EndpointSections {
  private final Function<Node.Mapping, Fields> within;
  private Optional<SourceType> sourceType = Optional.empty();

  /**
   * @param within gives the fields of a section, with references resolved
   */
  EndpointSections(Function<Node.Mapping, Fields> within) {
    this.within = within;
  }

  /** The source; empty after a problem. */
  Optional<SourceConfig> source(Fields fields, Optional<TaskName> task) {
    EndpointTypes<SourceType> types = EndpointTypes.sources();
    sourceType = types.assumed();
    return fields
        .require("source", "the database to read from", "Add source: with type, url and password")
        .flatMap(fields::mappingOf)
        .flatMap(
            mapping -> {
              Fields source = within.apply(mapping);
              Optional<SourceType> named = types.in(source);
              sourceType = named.or(() -> types.assumed(source));
              Optional<Endpoint> endpoint = endpoint(source, sourceType);
              Optional<Function<Endpoint, SourceConfig>> rest =
                  sourceType.map(
                      type -> type.read(source, task.map(TaskName::replicationName).orElse("")));
              sourceType.ifPresent(type -> source.refuseOthers());
              return named.isEmpty()
                  ? Optional.empty()
                  : endpoint.flatMap(known -> rest.map(config -> config.apply(known)));
            });
  }

  /** The type of the source that was read, for checks of other keys; empty if it is unknown. */
  Optional<SourceType> sourceType() {
    return sourceType;
  }

  /** The target; empty after a problem. */
  Optional<Endpoint> target(Fields fields) {
    EndpointTypes<TargetType> types = EndpointTypes.targets();
    return fields
        .require("target", "the database to write to", "Add target: with type, url and password")
        .flatMap(fields::mappingOf)
        .flatMap(
            mapping -> {
              Fields target = within.apply(mapping);
              Optional<TargetType> named = types.in(target);
              Optional<TargetType> checked = named.or(() -> types.assumed(target));
              Optional<Endpoint> endpoint = endpoint(target, checked);
              checked.ifPresent(type -> target.refuseOthers());
              return named.flatMap(type -> endpoint);
            });
  }

  private static Optional<Endpoint> endpoint(Fields fields, Optional<? extends EndpointType> type) {
    Optional<String> url =
        fields.requireText(
            "url",
            type.map(known -> known.url().example()).orElse("the database's url"),
            "Add the url, without the password");
    Secret password = fields.text("password").map(Secret::of).orElse(Secret.NONE);
    return url.flatMap(
        text ->
            type.flatMap(
                known ->
                    EndpointUrl.parse(
                        known, fields.placeOf("url"), text, password, fields.problems())));
  }
}
