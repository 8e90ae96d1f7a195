package dev.sluice.config.dms;

import dev.sluice.config.document.DocumentReader;
import dev.sluice.config.document.Fields;
import dev.sluice.config.document.FileLocation;
import dev.sluice.config.document.Node;
import dev.sluice.config.document.Problems;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Reads endpoints out of the answer of {@code aws dms describe-endpoints}. Used for one file, by
 * one thread.
 */
final class DmsEndpoints {
  private static final String ENDPOINTS = "Endpoints";
  private static final String ARN = "EndpointArn";
  private static final String ENGINE = "EngineName";
  private static final String SSL = "SslMode";
  private static final List<String> PARTS =
      List.of("ServerName", "Port", "DatabaseName", "Username");
  private static final List<String> TAKEN =
      Stream.concat(PARTS.stream(), Stream.of(ENGINE)).toList();

  private static final List<String> SSL_MODES =
      List.of("none", "require", "verify-ca", "verify-full");

  private static final String CALL =
      "Write the file with: aws dms describe-endpoints --output json > FILE";

  private final Path file;
  private final Problems problems;
  private final List<Node.Mapping> endpoints;

  private DmsEndpoints(Path file, Problems problems, List<Node.Mapping> endpoints) {
    this.file = file;
    this.problems = problems;
    this.endpoints = endpoints;
  }

  /** Reads the file; empty after a problem. */
  static Optional<DmsEndpoints> read(Path file, Problems problems) {
    return DocumentReader.read(file, problems)
        .flatMap(document -> Fields.mappingOf(document, problems))
        .flatMap(
            answer ->
                new Fields(answer, problems)
                    .require(ENDPOINTS, "the answer of aws dms describe-endpoints", CALL))
        .flatMap(
            list -> {
              if (list instanceof Node.Sequence sequence) {
                return Optional.of(
                    new DmsEndpoints(
                        file,
                        problems,
                        sequence.items().stream()
                            .flatMap(item -> Fields.mappingOf(item, problems).stream())
                            .toList()));
              }
              problems.add(list.place(), list.kind(), "a list of endpoints", CALL);
              return Optional.empty();
            });
  }

  /**
   * The endpoint of that name; empty after a problem.
   *
   * @param side {@code source} or {@code target}, for messages
   */
  Optional<DmsEndpoint> find(String side, String arn) {
    List<Node.Mapping> found =
        endpoints.stream()
            .filter(endpoint -> new Fields(endpoint, problems).text(ARN).equals(Optional.of(arn)))
            .toList();
    if (found.isEmpty()) {
      problems.add(
          new FileLocation(file.toString(), 1, 1, ENDPOINTS),
          "no endpoint " + (arn.isEmpty() ? "for the task's " + side : arn),
          "the task's " + side + " endpoint",
          "Call describe-endpoints in the region and the account of the task");
      return Optional.empty();
    }
    return endpoint(side, found.get(0));
  }

  private Optional<DmsEndpoint> endpoint(String side, Node.Mapping mapping) {
    int before = problems.count();
    Fields fields = new Fields(mapping, problems);
    Optional<DmsEngine> engine =
        fields
            .requireText(ENGINE, DmsEngine.allOf(side), CALL)
            .flatMap(name -> engine(side, name, fields));
    Optional<String> key =
        engine.flatMap(
            known ->
                known.settings().stream()
                    .filter(name -> fields.take(name).isPresent())
                    .findFirst());
    Optional<Node.Mapping> own = key.flatMap(fields::mapping);
    Optional<Fields> ownFields = own.map(settings -> new Fields(settings, problems));
    List<String> parts =
        PARTS.stream().map(part -> part(side, part, fields, ownFields, key.orElse(""))).toList();
    Optional<String> ssl = fields.text(SSL).filter(mode -> fields.isAllowed(SSL, mode, SSL_MODES));
    if (engine.isEmpty() || problems.count() > before) {
      return Optional.empty();
    }
    return Optional.of(
        new DmsEndpoint(
            engine.get(),
            new DmsEndpoint.Address(parts.get(0), parts.get(1), parts.get(2), parts.get(3)),
            ssl.filter(mode -> !mode.equals("none")).orElse(""),
            DmsEndpointNotes.of(side, engine.get(), mapping, own, TAKEN)));
  }

  private Optional<DmsEngine> engine(String side, String name, Fields fields) {
    Optional<DmsEngine> engine = DmsEngine.of(side, name);
    if (engine.isEmpty()) {
      problems.add(
          fields.placeOf(ENGINE),
          "the " + side + "'s engine is " + name,
          DmsEngine.allOf(side),
          side.equals(DmsEndpoint.SOURCE)
              ? "Keep this task in DMS, or write a task file by hand: source.type debezium also"
                  + " reads Oracle and SQL Server"
              : "Keep this task in DMS: Sluice does not write to such a database");
    }
    return engine;
  }

  /** DMS has it in the endpoint or in the settings of its engine. */
  private String part(
      String side, String key, Fields fields, Optional<Fields> own, String settings) {
    Optional<String> outer = fields.text(key).filter(text -> !text.isEmpty());
    Optional<String> inner = own.flatMap(of -> of.text(key)).filter(text -> !text.isEmpty());
    if (outer.isPresent() && inner.isPresent() && !outer.equals(inner)) {
      problems.add(
          fields.placeOf(key),
          outer.get() + ", and " + inner.get() + " in " + settings,
          "one " + key + " of the " + side,
          "Remove the wrong one from the file");
    }
    return outer.or(() -> inner).orElse("");
  }
}
