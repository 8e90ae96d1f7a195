package dev.sluice.connector.generic.start;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Fields;
import dev.sluice.config.document.FileLocation;
import dev.sluice.config.document.Node;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.Problems;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.CdcStart;
import dev.sluice.config.task.Endpoint;
import dev.sluice.config.task.SourceConfig;
import dev.sluice.config.task.SourceType;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.Source;
import dev.sluice.connector.api.source.SourceFactory;
import dev.sluice.connector.api.source.TaskMark;
import dev.sluice.connector.generic.catalog.JdbcServer;
import dev.sluice.connector.generic.config.GenericConfig;
import dev.sluice.connector.generic.config.PlaceText;
import dev.sluice.connector.generic.database.LogStart;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.function.Supplier;

/**
 * Finds the place of the source's log at which a task file lets its task start. That of a time is
 * found by Sluice's own source of the same database, which reads its log faster than a connector
 * does. Each call is from one thread.
 *
 * @param mark identifies the task
 */
public record StartPlaces(String task, JdbcServer server, Supplier<TaskMark> mark) {

  /** Why a task cannot start so; empty if it can, as far as its form tells. */
  public Optional<Problem> problem(CdcStart start) {
    GenericConfig config = server.config();
    if (LogStart.of(config).isEmpty()) {
      return Optional.of(
          new Problem(
              "cdc-start-position",
              "it is set, and what %s does with an offset from outside was not tried"
                  .formatted(config.connector().className()),
              "a task that begins now, or one of Debezium's connectors for PostgreSQL and MariaDB",
              "Remove it: the task begins now"));
    }
    return start instanceof CdcStart.AtCommitTime && hasSettingsOfItsOwn(config)
        ? Optional.of(
            new Problem(
                "cdc-start-position " + start,
                "the log is searched by Sluice's own source, which does not have what"
                    + " source.debezium says of encryption or of another way to the database",
                "a place of the log, such as %s"
                    .formatted(
                        LogStart.of(config).get().ownType().equals(Endpoint.POSTGRESQL)
                            ? "4AF/B00000D0"
                            : "mariadb-bin.000042:4711"),
                "Find the place, with sluice check of a task with the own source or with the"
                    + " server's tools, and write it"))
        : Optional.empty();
  }

  private static boolean hasSettingsOfItsOwn(GenericConfig config) {
    return config.jdbcUrl().isPresent()
        || config.properties().keySet().stream()
            .anyMatch(name -> name.startsWith("database.ssl") || name.startsWith("driver."));
  }

  /**
   * Requires that something keeps the log for the task.
   *
   * @throws SluiceException.Fatal if nothing does
   */
  void requireKept() {
    server.ask(
        "look for the log that is kept",
        session -> {
          log().requireKept(session);
          return true;
        });
  }

  /**
   * Debezium's offset at a place.
   *
   * @param text one without a problem
   * @throws SluiceException.Fatal if the log has no such place
   */
  Map<String, Object> named(String text) {
    return server.ask(
        "look for cdc-start-position in the log",
        session -> {
          log().requireKept(session);
          return log().named(session, PlaceText.parse(text).orElseThrow());
        });
  }

  /** The same in front of the first transaction that was committed at a time or later. */
  Map<String, Object> before(Instant time) throws InterruptedException {
    SourceFactory own = own();
    requireKept();
    Source source = own.create(task, config(own), mark);
    Position found = before(source, time);
    return server.ask(
        "look for the time of cdc-start-position in the log",
        session ->
            log()
                .named(
                    session,
                    PlaceText.parse(log().placeOf(session, own.textOf(found))).orElseThrow()));
  }

  private static Position before(Source own, Instant time) throws InterruptedException {
    try {
      return own.retention().before(time, own.log().emitFence());
    } catch (SluiceException.Fatal e) {
      if (e.problems().isEmpty()) {
        throw e;
      }
      throw new SluiceException.Fatal(e.problems().stream().map(StartPlaces::ofConnector).toList());
    }
  }

  /** The own source advises a resync, which no connector has. */
  static Problem ofConnector(Problem ofOwn) {
    return ofOwn.fix().contains("sluice resync")
        ? new Problem(
            ofOwn.thing(), ofOwn.found(), ofOwn.expected(), LogStart.loadOr("Name a later time"))
        : ofOwn;
  }

  /**
   * Requires that the tables' changes after a place can be read.
   *
   * @throws SluiceException.Fatal with all problems, if there is any
   */
  void requireSame(Map<String, Object> offset, Collection<TableId> tables) {
    List<Problem> problems =
        server.ask(
            "look for changed definitions", session -> log().changedSince(session, offset, tables));
    if (!problems.isEmpty()) {
      throw new SluiceException.Fatal(problems);
    }
  }

  private LogStart log() {
    return LogStart.of(server.config())
        .orElseThrow(() -> new IllegalStateException("BUG: a start that was not refused"));
  }

  private SourceFactory own() {
    return ServiceLoader.load(SourceType.class, SourceType.class.getClassLoader()).stream()
        .map(ServiceLoader.Provider::get)
        .filter(type -> type.name().equals(log().ownType()))
        .map(SourceFactory.class::cast)
        .findFirst()
        .orElseThrow(
            () ->
                LogStart.refused(
                    "there is no source of type %s here, which searches the log for a time"
                        .formatted(log().ownType()),
                    "a place of the log",
                    "Find the place with the server's tools, and write it"));
  }

  /** The configuration of the own source, with the same names on the source. */
  private SourceConfig config(SourceFactory own) {
    GenericConfig config = server.config();
    FileLocation place = new FileLocation("source.debezium", 1, 1, "");
    List<Node.Entry> entries = new ArrayList<>();
    if (config.slot().isPresent()) {
      entries.add(entry("slot-name", config.slot().get(), place));
      entries.add(entry("publication-name", config.properties().get("publication.name"), place));
    }
    Problems problems = new Problems();
    Endpoint endpoint = config.endpoint();
    SourceConfig made =
        own.read(new Fields(new Node.Mapping(place, entries), problems), task)
            .apply(
                new Endpoint(
                    own.name(),
                    endpoint.host(),
                    endpoint.port(),
                    endpoint.database(),
                    endpoint.user(),
                    endpoint.password(),
                    Map.of()));
    problems.throwIfAny("source.debezium");
    return made;
  }

  private static Node.Entry entry(String key, String value, FileLocation place) {
    return new Node.Entry(key, place, new Node.Text(place, value));
  }
}
