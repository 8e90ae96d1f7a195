package dev.sluice.engine.command;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.task.TaskHome;
import dev.sluice.engine.context.TaskLock;
import dev.sluice.engine.status.ControlToken;
import dev.sluice.engine.status.CutoverReport;
import dev.sluice.engine.status.RefusedRequest;
import dev.sluice.engine.status.StatusJson;
import dev.sluice.engine.status.StatusServer;
import dev.sluice.engine.status.TaskControl;
import dev.sluice.engine.status.TaskStatus;
import java.io.IOException;
import java.io.PrintStream;
import java.net.ConnectException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** HTTP client of a task's daemon. Used by a command's thread. */
final class DaemonClient {
  private static final Duration PAGE = Duration.ofSeconds(20);

  /** Added to the timeout that a request passes to the daemon. */
  private static final Duration MARGIN = Duration.ofSeconds(30);

  /** From this HTTP status on the request was accepted, and failed then. */
  private static final int FAILED_INSIDE = 500;

  /** A profile or a dump, which the daemon makes first. */
  private static final Duration DOWNLOAD = Duration.ofMinutes(10);

  private final TaskHome home;

  DaemonClient(TaskHome home) {
    this.home = home;
  }

  /** Whether a daemon runs on the task's data directory, even if it does not answer yet. */
  boolean isRunning() {
    return TaskLock.isHeld(home.dataDir());
  }

  /**
   * Reads the status page.
   *
   * @throws SluiceException.Fatal if no daemon runs
   * @throws SluiceException.Retryable if one runs and does not answer
   */
  Page status() {
    requireRunning();
    String json = send(PlainRequest.get(address("/status"), PAGE)).body();
    return new Page(read(json, TaskStatus.class), json);
  }

  /**
   * Asks whether the task can be cut over.
   *
   * @throws SluiceException.Fatal if no daemon runs, or it cannot read the source
   */
  Report cutoverReport(String query, Duration timeout) {
    String json = send(command("/cutover-report", query, timeout)).body();
    return new Report(read(json, CutoverReport.class), json);
  }

  /** Posts a request and waits for the answer. */
  Answer post(String path, String query, Duration timeout) {
    PlainRequest.Answer answer = send(command(path, query, timeout));
    return new Answer(answer.isSuccess(), read(answer.body(), TaskControl.Outcome.class));
  }

  /**
   * Posts a request that the daemon completes even if its answer is lost.
   *
   * @return empty if the daemon may have accepted it and the answer did not arrive
   */
  Optional<Answer> postLong(String path, String query, Duration timeout) {
    try {
      return Optional.of(post(path, query, timeout));
    } catch (SluiceException e) {
      if (e.getCause() instanceof IOException) {
        return Optional.empty();
      }
      throw e;
    }
  }

  /**
   * Posts a request whose answer is a text, and writes it.
   *
   * @return false if the daemon has no such text
   * @throws IOException if the file cannot be written
   */
  boolean download(String path, String query, Path file) throws IOException {
    return command(path, query, DOWNLOAD).download(file);
  }

  private PlainRequest command(String path, String query, Duration timeout) {
    requireRunning();
    return PlainRequest.post(
        address(path + (query.isEmpty() ? "" : "?" + query)),
        timeout.plus(MARGIN),
        ControlToken.HEADER,
        ControlToken.read(home.dataDir()).text());
  }

  private URI address(String path) {
    String address =
        StatusServer.addressOf(home.dataDir()).orElseThrow(() -> notAnswering("it is starting"));
    return URI.create("http://" + address + path);
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

  private PlainRequest.Answer send(PlainRequest request) {
    try {
      PlainRequest.Answer answer = request.send();
      String error =
          answer.isSuccess() ? null : StatusJson.read(answer.body(), RefusedRequest.class).error();
      if (error != null) {
        throw new SluiceException.Fatal(
            "the daemon refuses " + request.address().getPath() + ": " + error,
            answer.status() < FAILED_INSIDE
                ? null
                : new IOException("HTTP status " + answer.status()));
      }
      return answer;
    } catch (ConnectException e) {
      throw notAnswering("it does not listen at " + request.address().getAuthority());
    } catch (IOException e) {
      throw new SluiceException.Retryable(
          "the daemon of task %s does not answer %s: %s"
              .formatted(
                  home.task(), request.address(), e.getMessage() == null ? e : e.getMessage()),
          e);
    }
  }

  private <T> T read(String json, Class<T> type) {
    try {
      return StatusJson.read(json, type);
    } catch (IOException e) {
      throw new SluiceException.Retryable(
          "the answer of the daemon of task %s cannot be read: %s"
              .formatted(home.task(), e.getMessage()),
          e);
    }
  }

  private SluiceException.Retryable notAnswering(String why) {
    return new SluiceException.Retryable(
        "the daemon of task " + home.task() + " does not answer: " + why, null);
  }

  /**
   * The status page.
   *
   * @param json as the daemon wrote it, which may be of another release
   */
  record Page(TaskStatus status, String json) {}

  /**
   * The report of whether the task can be cut over.
   *
   * @param json as the daemon wrote it, which may be of another release
   */
  record Report(CutoverReport report, String json) {}

  /**
   * An answer of the daemon.
   *
   * @param success whether the request was fulfilled
   */
  record Answer(boolean success, TaskControl.Outcome outcome) {

    /** The exit code of the command that sent the request. */
    int exitCode() {
      if (success) {
        return ExitCode.DONE;
      }
      return switch (outcome.ending()) {
        case UNDECIDED -> ExitCode.UNDECIDED;
        case NOT_COVERED -> ExitCode.NOT_COVERED;
        case DONE, FAILED -> ExitCode.FAILED;
      };
    }

    /** Prints the message on one line and the details below it. */
    void print(PrintStream out) {
      out.println(outcome.message());
      outcome.details().forEach(line -> out.println("  " + line));
    }
  }
}
