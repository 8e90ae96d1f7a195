package dev.sluice.connect;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * As much of an Apicurio registry as its converter for Avro asks of one: it keeps schemas and gives
 * them back by number.
 */
final class SchemaRegistry implements AutoCloseable {
  private final HttpServer server;
  private final List<String> schemas = new ArrayList<>();

  private SchemaRegistry(HttpServer server) {
    this.server = server;
  }

  static SchemaRegistry start() throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    SchemaRegistry registry = new SchemaRegistry(server);
    server.createContext("/", registry::answer);
    server.start();
    return registry;
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/apis/registry/v2";
  }

  synchronized int schemas() {
    return schemas.size();
  }

  private void answer(HttpExchange exchange) throws IOException {
    byte[] answer =
        exchange.getRequestMethod().equals("POST")
            ? keep(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8))
            : find(exchange.getRequestURI().getPath());
    exchange.getResponseHeaders().add("Content-Type", "application/json");
    exchange.sendResponseHeaders(200, answer.length);
    exchange.getResponseBody().write(answer);
    exchange.close();
  }

  private synchronized byte[] keep(String schema) {
    if (!schemas.contains(schema)) {
      schemas.add(schema);
    }
    int number = schemas.indexOf(schema) + 1;
    return """
        {"id": "schema-%1$d", "version": "1", "type": "AVRO", "state": "ENABLED",
         "globalId": %1$d, "contentId": %1$d}
        """
        .formatted(number)
        .getBytes(StandardCharsets.UTF_8);
  }

  /** A schema, or its references to others, of which there are none. */
  private synchronized byte[] find(String path) {
    String last = path.substring(path.lastIndexOf('/') + 1);
    String found = last.matches("\\d+") ? schemas.get(Integer.parseInt(last) - 1) : "[]";
    return found.getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
