package dev.sluice.engine.command;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Map;

/**
 * A request over HTTP without encryption, which is sent once. Java's newer client reads every
 * certificate of the machine before, which takes longer than the rest of a command. Immutable.
 *
 * @param timeout from one byte of the answer to the next
 * @param headers besides those of HTTP
 */
record PlainRequest(URI address, String method, Duration timeout, Map<String, String> headers) {
  private static final Duration CONNECT = Duration.ofSeconds(5);
  private static final String POST = "POST";

  static PlainRequest get(URI address, Duration timeout) {
    return new PlainRequest(address, "GET", timeout, Map.of());
  }

  /** A request without a body. */
  static PlainRequest post(URI address, Duration timeout, String header, String value) {
    return new PlainRequest(address, POST, timeout, Map.of(header, value));
  }

  /**
   * Sends it, and reads the answer, whatever its status is.
   *
   * @throws java.net.ConnectException if nothing listens at the address
   * @throws IOException if no whole answer arrives in time
   */
  Answer send() throws IOException {
    HttpURLConnection connection = open();
    int status = connection.getResponseCode();
    return new Answer(status, new String(body(connection, status), StandardCharsets.UTF_8));
  }

  /**
   * Sends it, and writes the answer into a file that is there.
   *
   * @return false if there is no such page
   * @throws IOException if no whole answer arrives in time, or the file cannot be written
   */
  boolean download(Path file) throws IOException {
    HttpURLConnection connection = open();
    int status = connection.getResponseCode();
    if (status == HttpURLConnection.HTTP_NOT_FOUND) {
      return false;
    }
    if (status != HttpURLConnection.HTTP_OK) {
      throw new IOException("the daemon answers with HTTP status " + status);
    }
    try (InputStream body = connection.getInputStream();
        OutputStream output = Files.newOutputStream(file, StandardOpenOption.WRITE)) {
      body.transferTo(output);
    }
    return true;
  }

  private HttpURLConnection open() throws IOException {
    HttpURLConnection connection = (HttpURLConnection) address.toURL().openConnection();
    connection.setConnectTimeout(Math.toIntExact(CONNECT.toMillis()));
    connection.setReadTimeout(Math.toIntExact(Math.min(timeout.toMillis(), Integer.MAX_VALUE)));
    connection.setInstanceFollowRedirects(false);
    connection.setRequestMethod(method);
    headers.forEach(connection::setRequestProperty);
    if (method.equals(POST)) {
      connection.setDoOutput(true);
      // Java sends a request of which it has the body a second time if the first breaks off.
      connection.setFixedLengthStreamingMode(0);
    }
    return connection;
  }

  private static byte[] body(HttpURLConnection connection, int status) throws IOException {
    try (InputStream body =
        status < HttpURLConnection.HTTP_BAD_REQUEST
            ? connection.getInputStream()
            : connection.getErrorStream()) {
      return body == null ? new byte[0] : body.readAllBytes();
    }
  }

  /**
   * An answer.
   *
   * @param status of HTTP
   */
  record Answer(int status, String body) {
    boolean isSuccess() {
      return status < HttpURLConnection.HTTP_MULT_CHOICE;
    }
  }
}
