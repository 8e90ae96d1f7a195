package dev.sluice.engine.page;

import static org.awaitility.Awaitility.await;

import dev.sluice.config.task.ExternalOrigin;
import dev.sluice.config.task.HttpAddress;
import dev.sluice.engine.status.ControlToken;
import dev.sluice.engine.status.StatusServer;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The page as a daemon serves it, of a task that stands. Owned by one test. */
record ServedPage(StatusPage page, StatusServer server, ControlToken token)
    implements AutoCloseable {
  private static final Duration LONG = Duration.ofMinutes(5);

  /**
   * Starts as a daemon does, with a new token.
   *
   * @param port 0: any
   */
  static ServedPage start(Path folder, StandingTask task, int port) {
    return start(folder, task, port, List.of());
  }

  /** The same, reached through a proxy as well. */
  static ServedPage start(
      Path folder, StandingTask task, int port, List<ExternalOrigin> externals) {
    ControlToken token = ControlToken.create(folder);
    StatusPage page = StatusPage.start(folder, task, Clock.systemUTC());
    try {
      StatusServer server =
          StatusServer.start(
              new HttpAddress("127.0.0.1", port), externals, folder, task, token, page.paths());
      return new ServedPage(page, server, token);
    } catch (RuntimeException e) {
      page.close();
      throw e;
    }
  }

  /** The same on a port that was in use just now. */
  static ServedPage startAgain(Path folder, StandingTask task, int port) {
    return await()
        .atMost(LONG)
        .ignoreExceptions()
        .until(() -> Optional.of(start(folder, task, port)), Optional::isPresent)
        .orElseThrow();
  }

  String host() {
    return server.address().toString();
  }

  int port() {
    return server.address().port();
  }

  String url() {
    return "http://" + host() + "/";
  }

  /** Until it shows the task live. */
  void openIn(Browser browser) {
    openIn(browser, url());
  }

  /** The same by another address. */
  static void openIn(Browser browser, String address) {
    browser.open(address);
    await()
        .atMost(LONG)
        .failFast("the page has an error", () -> !browser.problems().isEmpty())
        .until(
            () ->
                browser.text("#connection").startsWith("live")
                    && browser.text("#task").equals("shop-migration"));
  }

  @Override
  public void close() {
    server.close();
    page.close();
  }
}
