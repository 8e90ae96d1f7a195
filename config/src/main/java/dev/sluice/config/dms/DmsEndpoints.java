package dev.sluice.config.dms;

import dev.sluice.config.document.DocumentReader;
import dev.sluice.config.document.Fields;
import dev.sluice.config.document.FileLocation;
import dev.sluice.config.document.Node;
import dev.sluice.config.document.Problems;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Reads endpoints out of the answer of {@code aws dms describe-endpoints}. Used for one file, by
 * one thread.
 */
final class DmsEndpoints {
  private static final String ENDPOINTS = "Endpoints";
  private static final String ARN = "EndpointArn";
  private static final String ENGINE = "EngineName";
  private static final String SSL = "SslMode";
  private static final String OF_POSTGRESQL = "PostgreSQLSettings";
  private static final List<String> PARTS =
      List.of("ServerName", "Port", "DatabaseName", "Username");

  /** DMS's names of engines whose servers are PostgreSQL. */
  private static final Set<String> POSTGRESQL =
      Set.of("postgres", "aurora-postgresql", "aurora-postgresql-serverless");

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
    fields
        .requireText(ENGINE, "postgres or aurora-postgresql", CALL)
        .filter(engine -> !POSTGRESQL.contains(engine))
        .ifPresent(
            engine ->
                problems.add(
                    fields.placeOf(ENGINE),
                    "the " + side + "'s engine is " + engine,
                    "PostgreSQL: " + String.join(", ", POSTGRESQL.stream().sorted().toList()),
                    "Keep this task in DMS: Sluice moves PostgreSQL to PostgreSQL only"));
    Optional<Node.Mapping> own = fields.mapping(OF_POSTGRESQL);
    Optional<Fields> ownFields = own.map(settings -> new Fields(settings, problems));
    List<String> parts = PARTS.stream().map(part -> part(side, part, fields, ownFields)).toList();
    Optional<String> ssl = fields.text(SSL).filter(mode -> fields.isAllowed(SSL, mode, SSL_MODES));
    if (problems.count() > before) {
      return Optional.empty();
    }
    return Optional.of(
        new DmsEndpoint(
            parts.get(0),
            parts.get(1),
            parts.get(2),
            parts.get(3),
            ssl.filter(mode -> !mode.equals("none")).orElse(""),
            notes(side, mapping, own)));
  }

  /** DMS has it in the endpoint or in its settings for PostgreSQL. */
  private String part(String side, String key, Fields fields, Optional<Fields> own) {
    Optional<String> outer = fields.text(key).filter(text -> !text.isEmpty());
    Optional<String> inner = own.flatMap(of -> of.text(key)).filter(text -> !text.isEmpty());
    if (outer.isPresent() && inner.isPresent() && !outer.equals(inner)) {
      problems.add(
          fields.placeOf(key),
          outer.get() + ", and " + inner.get() + " in " + OF_POSTGRESQL,
          "one " + key + " of the " + side,
          "Remove the wrong one from the file");
    }
    return outer.or(() -> inner).orElse("");
  }

  private static List<String> notes(String side, Node.Mapping mapping, Optional<Node.Mapping> own) {
    List<String> notes = new ArrayList<>();
    for (Node.Entry entry : mapping.entries()) {
      if (entry.value() instanceof Node.Nothing
          || PARTS.contains(entry.key())
          || entry.key().equals(ENGINE)
          || entry.value() instanceof Node.Mapping settings && own.equals(Optional.of(settings))) {
        continue;
      }
      if (!entry.key().equals(SSL)) {
        notes.add(note(side, entry));
      } else if (ShownValue.of(entry.value()).equals("none")) {
        notes.add(
            side
                + " endpoint: SslMode none — without sslmode in the url the connection is encrypted"
                + " if the server can");
      } else if (ShownValue.of(entry.value()).startsWith("verify")) {
        notes.add(
            side
                + " endpoint: SslMode "
                + ShownValue.of(entry.value())
                + " — taken; the url still needs &sslrootcert=/path, a file with the certificate of"
                + " the server's authority");
      }
    }
    own.stream()
        .flatMap(settings -> settings.entries().stream())
        .filter(entry -> !(entry.value() instanceof Node.Nothing))
        .filter(entry -> !PARTS.contains(entry.key()))
        .forEach(entry -> notes.add(note(side, entry)));
    return notes;
  }

  private static String note(String side, Node.Entry entry) {
    return side
        + " endpoint: "
        + DmsEndpointSetting.note(entry.key(), ShownValue.of(entry.value()));
  }
}
