package dev.sluice.engine.command;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.TaskHome;
import dev.sluice.engine.context.TaskLock;
import dev.sluice.engine.status.ControlToken;
import dev.sluice.engine.status.StatusJson;
import dev.sluice.engine.status.StatusServer;
import java.io.IOException;
import java.io.PrintStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;

/** Speaks with the daemon of a task over its HTTP port. Used by a command's thread. */
final class DaemonClient {
  private static final Duration CONNECT = Duration.ofSeconds(5);
  private static final Duration PAGE = Duration.ofSeconds(20);

  /** What a request may take beyond the patience that it asks the daemon for. */
  private static final Duration MARGIN = Duration.ofSeconds(30);

  /** From this HTTP status on the request was taken, and something went wrong then. */
  private static final int FAILED_INSIDE = 500;

  private final TaskHome home;
  private final HttpClient client = HttpClient.newBuilder().connectTimeout(CONNECT).build();

  DaemonClient(TaskHome home) {
    this.home = home;
  }

  /** Whether a daemon runs on the task's data directory, however far it is. */
  boolean isRunning() {
    return TaskLock.isHeld(home.dataDir());
  }

  /**
   * The status page.
   *
   * @throws SluiceException.Fatal where no daemon runs
   * @throws SluiceException.Retryable where one runs and does not answer
   */
  JsonNode status() throws InterruptedException {
    return send(request("/status").timeout(PAGE).GET().build()).body();
  }

  /** Gives an order and waits for the answer. */
  Answer post(String path, String query, Duration patience) throws InterruptedException {
    requireRunning();
    return send(
        request(path + (query.isEmpty() ? "" : "?" + query))
            .header(ControlToken.HEADER, ControlToken.read(home.dataDir()).text())
            .timeout(patience.plus(MARGIN))
            .POST(HttpRequest.BodyPublishers.noBody())
            .build());
  }

  /**
   * Gives an order that goes on whether its answer comes or not.
   *
   * @return empty where it may have been taken and the answer did not come
   */
  Optional<Answer> order(String path, String query, Duration patience) throws InterruptedException {
    try {
      return Optional.of(post(path, query, patience));
    } catch (SluiceException e) {
      if (e.getCause() instanceof IOException) {
        return Optional.empty();
      }
      throw e;
    }
  }

  private HttpRequest.Builder request(String path) {
    requireRunning();
    String address =
        StatusServer.addressOf(home.dataDir()).orElseThrow(() -> notAnswering("it is starting"));
    return HttpRequest.newBuilder(URI.create("http://" + address + path));
  }

  private void requireRunning() {
    if (!isRunning()) {
      throw new SluiceException.Fatal(
          new Problem(
              "task " + home.task(),
              "no daemon runs on " + home.dataDir(),
              "a running daemon",
              "Start it: sluice run TASK.yaml"));
    }
  }

  private Answer send(HttpRequest request) throws InterruptedException {
    try {
      HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
      JsonNode body = StatusJson.read(response.body());
      if (body.has("error")) {
        throw new SluiceException.Fatal(
            "the daemon refuses " + request.uri().getPath() + ": " + body.get("error").asText(),
            response.statusCode() < FAILED_INSIDE
                ? null
                : new IOException("HTTP status " + response.statusCode()));
      }
      return new Answer(response.statusCode() < 300, body);
    } catch (ConnectException e) {
      throw notAnswering("it does not listen at " + request.uri().getAuthority());
    } catch (IOException e) {
      throw new SluiceException.Retryable(
          "the daemon of task %s does not answer %s: %s"
              .formatted(home.task(), request.uri(), e.getMessage() == null ? e : e.getMessage()),
          e);
    }
  }

  private SluiceException.Retryable notAnswering(String why) {
    return new SluiceException.Retryable(
        "the daemon of task " + home.task() + " does not answer: " + why, null);
  }

  /**
   * What the daemon answered.
   *
   * @param success whether it did what was asked
   */
  record Answer(boolean success, JsonNode body) {

    /** What the command ends with. */
    int exitCode() {
      if (success) {
        return ExitCode.DONE;
      }
      return switch (body.path("ending").asText()) {
        case "UNDECIDED" -> ExitCode.UNDECIDED;
        case "NOT_COVERED" -> ExitCode.NOT_COVERED;
        default -> ExitCode.FAILED;
      };
    }

    /** What it says in a line, and below it the details. */
    void print(PrintStream out) {
      out.println(body.path("message").asText());
      body.path("details").forEach(line -> out.println("  " + line.asText()));
    }
  }
}
