package dev.sluice.engine.page;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/**
 * A proxy with TLS before a daemon's page, with a certificate that it signs itself. It sends the
 * daemon's own address as {@code Host}. Owned by one test.
 */
final class TlsProxy implements AutoCloseable {
  private static final char[] PASSWORD = "of no use".toCharArray();

  /** What a browser sends that the daemon looks at. */
  private static final List<String> PASSED_ON = List.of("Origin", "X-Sluice-Token", "Accept");

  private final HttpsServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final HttpClient client = HttpClient.newHttpClient();
  private volatile String behind;

  private TlsProxy(HttpsServer server) {
    this.server = server;
  }

  /** Starts it on a free port. */
  static TlsProxy start(Path folder) throws Exception {
    HttpsServer server =
        HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(tls(folder.resolve("proxy.p12"))));
    TlsProxy proxy = new TlsProxy(server);
    server.setExecutor(proxy.threads);
    server.createContext("/", proxy::forward);
    server.start();
    return proxy;
  }

  /** Such as {@code https://127.0.0.1:8443}. */
  String origin() {
    return "https://127.0.0.1:" + server.getAddress().getPort();
  }

  /** Requests go there from now on. */
  void forwardTo(ServedPage served) {
    behind = "http://" + served.host();
  }

  private void forward(HttpExchange exchange) throws IOException {
    try (exchange) {
      HttpRequest.Builder request =
          HttpRequest.newBuilder(URI.create(behind + exchange.getRequestURI()))
              .method(exchange.getRequestMethod(), HttpRequest.BodyPublishers.noBody());
      for (String header : PASSED_ON) {
        exchange
            .getRequestHeaders()
            .getOrDefault(header, List.of())
            .forEach(value -> request.header(header, value));
      }
      HttpResponse<InputStream> answer =
          client.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
      answer
          .headers()
          .firstValue("Content-Type")
          .ifPresent(type -> exchange.getResponseHeaders().set("Content-Type", type));
      exchange.sendResponseHeaders(answer.statusCode(), 0);
      try (InputStream from = answer.body();
          OutputStream to = exchange.getResponseBody()) {
        byte[] part = new byte[8192];
        for (int read = from.read(part); read >= 0; read = from.read(part)) {
          to.write(part, 0, read);
          to.flush();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static SSLContext tls(Path file) throws Exception {
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "proxy",
                "-keyalg",
                "EC",
                "-dname",
                "CN=proxy",
                "-ext",
                "san=ip:127.0.0.1",
                "-storetype",
                "PKCS12",
                "-storepass",
                String.valueOf(PASSWORD),
                "-keystore",
                file.toString())
            .redirectErrorStream(true)
            .start();
    String said = new String(keytool.getInputStream().readAllBytes());
    if (keytool.waitFor() != 0) {
      throw new IllegalStateException("keytool: " + said);
    }
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream stored = Files.newInputStream(file)) {
      store.load(stored, PASSWORD);
    }
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(store, PASSWORD);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), null, null);
    return context;
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
