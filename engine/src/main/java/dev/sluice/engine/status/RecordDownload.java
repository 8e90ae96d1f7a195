package dev.sluice.engine.status;

import com.sun.net.httpserver.HttpHandler;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/** Hands out the records of validations from a data directory. Threadsafe. */
final class RecordDownload {
  private final RequestGuard guard;
  private final Path dataDirectory;

  RecordDownload(RequestGuard guard, Path dataDirectory) {
    this.guard = guard;
    this.dataDirectory = dataDirectory;
  }

  /** Gives the record of a validation, once: it has keys of rows, and is deleted here. */
  HttpHandler handler() {
    return guard.withToken(
        exchange -> {
          String id = QueryString.parse(exchange.getRequestURI()).getOrDefault("id", "");
          Path file = RecordFile.of(dataDirectory, UUID.fromString(id));
          if (!Files.exists(file)) {
            RequestGuard.send(
                exchange, Answer.refusal(404, "there is no record " + id), RequestGuard.JSON);
            return;
          }
          try {
            exchange.getResponseHeaders().set("Content-Type", RequestGuard.TEXT);
            exchange.getResponseHeaders().set("Cache-Control", "no-store");
            exchange.sendResponseHeaders(200, Files.size(file));
            Files.copy(file, exchange.getResponseBody());
          } finally {
            Files.deleteIfExists(file);
          }
        });
  }
}
