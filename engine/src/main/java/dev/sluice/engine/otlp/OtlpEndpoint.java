package dev.sluice.engine.otlp;

import com.google.protobuf.InvalidProtocolBufferException;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceResponse;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;

/** Sends metrics by OTLP over HTTP, as protobuf. Used by one thread at a time. */
final class OtlpEndpoint {
  private static final Duration CONNECT = Duration.ofSeconds(5);
  private static final int OK = 200;

  private final HttpClient client =
      HttpClient.newBuilder()
          .connectTimeout(CONNECT)
          .followRedirects(HttpClient.Redirect.NEVER)
          .build();
  private final URI address;

  OtlpEndpoint(URI address) {
    this.address = address;
  }

  /**
   * Sends once; returns why it did not arrive, or not all of it. Empty if all did.
   *
   * @param timeout how long it may take
   */
  Optional<String> send(ExportMetricsServiceRequest metrics, Duration timeout)
      throws InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(address)
            .timeout(timeout)
            .header("Content-Type", "application/x-protobuf")
            .POST(HttpRequest.BodyPublishers.ofByteArray(metrics.toByteArray()))
            .build();
    try {
      HttpResponse<byte[]> answer = client.send(request, HttpResponse.BodyHandlers.ofByteArray());
      return answer.statusCode() == OK
          ? rejected(answer)
          : Optional.of("it answers with HTTP status " + answer.statusCode());
    } catch (IOException e) {
      return Optional.of("it cannot be reached: " + (e.getMessage() == null ? e : e.getMessage()));
    }
  }

  /** What the endpoint took the request without. */
  private static Optional<String> rejected(HttpResponse<byte[]> answer) {
    boolean isProtobuf =
        answer
            .headers()
            .firstValue("Content-Type")
            .filter(type -> type.startsWith("application/x-protobuf"))
            .isPresent();
    if (!isProtobuf) {
      return Optional.empty();
    }
    try {
      ExportMetricsServiceResponse response = ExportMetricsServiceResponse.parseFrom(answer.body());
      long points = response.getPartialSuccess().getRejectedDataPoints();
      return points == 0
          ? Optional.empty()
          : Optional.of(
              "it refuses %d values: %s"
                  .formatted(points, response.getPartialSuccess().getErrorMessage()));
    } catch (InvalidProtocolBufferException e) {
      return Optional.of("its answer cannot be read: " + e.getMessage());
    }
  }

  @Override
  public String toString() {
    return address.toString();
  }
}
