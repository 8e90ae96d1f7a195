package dev.sluice.bench.stage;

import java.util.List;

/** A stage of the whole path, with the beginnings of the names of the threads that do its work. */
enum Stage {
  SOURCE_DECODER("source: walsender, logical decoding"),
  SOURCE_REST("source: the rest"),
  LOG("capture: connection and decoding of the log", "sluice-log-", "sluice-binlog-"),
  PUBLISHER("capture: codec, frames, compression", "sluice-capture-"),
  PRODUCER("capture: producer's network thread", "kafka-producer-"),
  BROKER(
      "broker",
      "data-plane-kafk",
      "kafka-",
      "quorum-controll",
      "broker-",
      "controller-",
      "Log4j2-",
      "log-",
      "metrics-meter-t",
      "group-",
      "share-"),
  INTAKE("sink: consumer, intake, sorter, compaction", "sluice-intake"),
  APPLY("sink: statements and COPY encoding", "sluice-apply-"),
  TARGET_BACKEND("target: connections"),
  TARGET_REST("target: the rest"),
  COMPILER("Java: compiler", "C1 Compiler", "C2 Compiler"),
  COLLECTOR("Java: garbage collector", "GC Thread", "G1 ", "ParGC", "VM Thread"),
  REST_OF_DAEMON("daemon: start, monitor, ended threads");

  private final String title;
  private final List<String> threads;

  Stage(String title, String... threads) {
    this.title = title;
    this.threads = List.of(threads);
  }

  /** By the name that the operating system knows, which is cut at 15 characters. */
  static Stage ofThread(String name) {
    for (Stage stage : values()) {
      if (stage.threads.stream().anyMatch(name::startsWith)) {
        return stage;
      }
    }
    return REST_OF_DAEMON;
  }

  static Stage ofSourceProcess(String title) {
    return title.startsWith("postgres: walsender") ? SOURCE_DECODER : SOURCE_REST;
  }

  /** PostgreSQL names a connection's process by user, database and address. */
  static Stage ofTargetProcess(String title) {
    return title.matches("postgres: \\S+ \\S+ \\d+\\.\\d+\\.\\d+\\.\\d+\\(.*")
        ? TARGET_BACKEND
        : TARGET_REST;
  }

  String title() {
    return title;
  }
}
