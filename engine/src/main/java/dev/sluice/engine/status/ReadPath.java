package dev.sluice.engine.status;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;

/**
 * A path of the {@link StatusServer} that another package answers. The server has checked that the
 * request comes from no web page of elsewhere, is a GET, and names exactly this path. Immutable.
 *
 * @param answer called by threads of the server, several at a time
 */
public record ReadPath(String path, Handling answer) {

  /** Answers a request. An {@link IllegalArgumentException} says what is wrong with the request. */
  public interface Handling {
    void handle(HttpExchange exchange) throws IOException, InterruptedException;
  }

  /** Sends a whole answer, which no cache keeps. */
  public static void send(HttpExchange exchange, int code, String type, byte[] body)
      throws IOException {
    exchange.getResponseHeaders().set("Content-Type", type);
    exchange.getResponseHeaders().set("Cache-Control", "no-store");
    exchange.sendResponseHeaders(code, body.length);
    exchange.getResponseBody().write(body);
  }
}
