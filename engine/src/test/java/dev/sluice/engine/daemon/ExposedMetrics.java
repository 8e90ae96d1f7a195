package dev.sluice.engine.daemon;

import dev.sluice.config.task.HttpAddress;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A page of metrics as a scraper reads it.
 *
 * @param values by series, with all labels but {@code task}, as the page writes them
 */
record ExposedMetrics(String type, String text, Map<String, Double> values) {
  private static final String OPEN_METRICS =
      "application/openmetrics-text;version=1.0.0;q=0.6,text/plain;version=0.0.4;q=0.4";

  /** In the form that Prometheus had first. */
  static ExposedMetrics scrape(HttpAddress address) throws IOException, InterruptedException {
    return scrape(address, "text/plain");
  }

  /** As a Prometheus of today asks for them. */
  static ExposedMetrics scrapeOpenMetrics(HttpAddress address)
      throws IOException, InterruptedException {
    return scrape(address, OPEN_METRICS);
  }

  private static ExposedMetrics scrape(HttpAddress address, String accept)
      throws IOException, InterruptedException {
    HttpResponse<String> page =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(URI.create("http://" + address + "/metrics"))
                    .header("Accept", accept)
                    .build(),
                HttpResponse.BodyHandlers.ofString());
    Map<String, Double> values = new LinkedHashMap<>();
    page.body()
        .lines()
        .filter(line -> !line.startsWith("#"))
        .forEach(
            line -> {
              int end = line.lastIndexOf(' ');
              String series =
                  line.substring(0, end)
                      .replaceFirst(",?task=\"[^\"]*\"", "")
                      .replace("{}", "")
                      .replace("{,", "{");
              values.put(series, number(line.substring(end + 1)));
            });
    return new ExposedMetrics(
        page.headers().firstValue("Content-Type").orElseThrow(), page.body(), values);
  }

  private static double number(String text) {
    return text.equals("+Inf") ? Double.POSITIVE_INFINITY : Double.parseDouble(text);
  }

  double value(String series) {
    Double value = values.get(series);
    if (value == null) {
      throw new AssertionError("no series " + series + " in\n" + text);
    }
    return value;
  }

  /** Of all series of a name, whatever their labels are. */
  double sum(String name) {
    return series(name).mapToDouble(Map.Entry::getValue).sum();
  }

  /** All series of a name. */
  Stream<Map.Entry<String, Double>> series(String name) {
    return values.entrySet().stream()
        .filter(entry -> entry.getKey().replaceFirst("\\{.*", "").equals(name));
  }
}
