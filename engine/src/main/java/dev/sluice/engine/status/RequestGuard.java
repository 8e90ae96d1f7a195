package dev.sluice.engine.status;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import dev.sluice.config.task.ExternalOrigin;
import dev.sluice.config.task.HttpAddress;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks requests: refuses those of foreign web pages ({@link RequestOrigin}) and commands without
 * the {@link ControlToken}, and sends answers such that a browser loads nothing from other servers
 * ({@link BrowserRules}). Answers refused requests. Threadsafe.
 */
final class RequestGuard {
  private static final Logger LOG = LoggerFactory.getLogger(RequestGuard.class);

  static final String JSON = "application/json; charset=utf-8";
  static final String TEXT = "text/plain; charset=utf-8";

  /** A command, by its query. */
  interface Command {
    Answer run(Map<String, String> query) throws InterruptedException;
  }

  private final HttpAddress configured;
  private final List<ExternalOrigin> externals;
  private final ControlToken token;

  /**
   * @param configured the address to listen on
   * @param externals where browsers reach it through a proxy with TLS
   */
  RequestGuard(HttpAddress configured, List<ExternalOrigin> externals, ControlToken token) {
    this.configured = configured;
    this.externals = List.copyOf(externals);
    this.token = token;
  }

  /** A path to read. */
  HttpHandler read(ReadPath.Handling handling) {
    return guarded(
        exchange -> {
          if (exchange.getRequestMethod().equals("GET")) {
            handling.handle(exchange);
          } else {
            send(exchange, Answer.refusal(405, "GET expected"), JSON);
          }
        });
  }

  /** A command, which must carry the token. */
  HttpHandler post(Command command) {
    return withToken(
        exchange -> {
          Answer answer = command.run(QueryString.parse(exchange.getRequestURI()));
          try {
            send(exchange, answer, JSON);
            exchange.close();
          } finally {
            answer.then().run();
          }
        });
  }

  /** A path that returns something else than the answer to a command, with the same protection. */
  HttpHandler withToken(ReadPath.Handling handling) {
    return guarded(
        exchange -> {
          if (mayCommand(exchange)) {
            handling.handle(exchange);
          }
        });
  }

  /** Answers a request that is no POST or without the token, and returns false. */
  private boolean mayCommand(HttpExchange exchange) throws IOException {
    if (!exchange.getRequestMethod().equals("POST")) {
      send(exchange, Answer.refusal(405, "POST expected"), JSON);
      return false;
    }
    if (!token.matches(exchange.getRequestHeaders().getFirst(ControlToken.HEADER))) {
      send(exchange, Answer.refusal(403, ControlToken.HEADER + " is missing or wrong"), JSON);
      return false;
    }
    return true;
  }

  private static RequestOrigin origin(HttpExchange exchange) {
    Headers headers = exchange.getRequestHeaders();
    return new RequestOrigin(
        headers.getOrDefault("Host", List.of()), headers.getOrDefault("Origin", List.of()));
  }

  /**
   * Refuses requests of foreign web pages; answers and logs an error, so that the server continues.
   */
  private HttpHandler guarded(ReadPath.Handling handling) {
    return exchange -> {
      try (exchange) {
        try {
          // A context also receives longer paths that begin with its own.
          String path = exchange.getRequestURI().getPath();
          BrowserRules.set(exchange.getResponseHeaders());
          Optional<String> foreign = origin(exchange).problem(configured, externals);
          if (foreign.isPresent()) {
            refuse(exchange, foreign.get());
          } else if (path.equals(exchange.getHttpContext().getPath())) {
            handling.handle(exchange);
          } else {
            send(exchange, Answer.refusal(404, "no page " + path), JSON);
          }
        } catch (IllegalArgumentException e) {
          send(exchange, Answer.refusal(400, e.getMessage()), JSON);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          send(exchange, Answer.refusal(503, "the daemon is ending"), JSON);
        } catch (RuntimeException | Error e) {
          LOG.warn("{} fails: {}", exchange.getRequestURI().getPath(), e.toString(), e);
          send(exchange, Answer.refusal(500, e.toString()), JSON);
        }
      }
    };
  }

  /** Clients of Sluice read JSON after a command; readers of a page get text. */
  private static void refuse(HttpExchange exchange, String why) throws IOException {
    if (exchange.getRequestMethod().equals("POST")) {
      send(exchange, Answer.refusal(403, why), JSON);
    } else {
      send(exchange, new Answer(403, why + "\n"), TEXT);
    }
  }

  static void send(HttpExchange exchange, Answer answer, String type) throws IOException {
    ReadPath.send(exchange, answer.code(), type, answer.text().getBytes(StandardCharsets.UTF_8));
  }
}
