package dev.sluice.bench.load;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Draws rates over batch sizes as an SVG picture, a line for each series. Pure. */
public final class RatePlot {
  private static final int WIDTH = 760;
  private static final int HEIGHT = 420;
  private static final int LEFT = 80;
  private static final int RIGHT = 150;
  private static final int TOP = 46;
  private static final int BOTTOM = 56;
  private static final int TICKS = 5;
  private static final List<String> COLOURS =
      List.of("#1f6fb4", "#d1611c", "#2c8a43", "#8b3fa8", "#a0862b", "#555555");

  private RatePlot() {}

  /**
   * @param batches on a logarithmic axis, rising
   * @param series by name, a rate for each batch size
   * @param peer a level to compare with, drawn as a broken line
   */
  public static String svg(
      String title,
      List<Integer> batches,
      Map<String, List<Double>> series,
      String peer,
      double peerRate) {
    double most = peerRate;
    for (List<Double> rates : series.values()) {
      for (double rate : rates) {
        most = Math.max(most, rate);
      }
    }
    double top = roundedUp(most);
    StringBuilder svg = new StringBuilder();
    svg.append(
        format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\""
                + " font-size=\"12\">%n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>%n",
            WIDTH, HEIGHT));
    svg.append(format("<text x=\"%d\" y=\"24\" font-size=\"15\">%s</text>%n", LEFT, title));
    for (int tick = 0; tick <= TICKS; tick++) {
      double rate = top * tick / TICKS;
      double y = y(rate, top);
      svg.append(line(LEFT, y, WIDTH - RIGHT, y, "#dddddd", ""));
      svg.append(
          format(
              "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%,.0f</text>%n",
              LEFT - 8, y + 4, rate));
    }
    for (int batch : batches) {
      svg.append(
          format(
              "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%,d</text>%n",
              x(batch, batches), HEIGHT - BOTTOM + 20, batch));
    }
    svg.append(
        format(
            "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">rows of one batch</text>%n",
            (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12));
    svg.append(format("<text x=\"8\" y=\"%d\">rows/s</text>%n", TOP - 8));
    double level = y(peerRate, top);
    svg.append(line(LEFT, level, WIDTH - RIGHT, level, "#555555", " stroke-dasharray=\"6 4\""));
    svg.append(legend(0, "#555555", peer));
    int number = 0;
    for (Map.Entry<String, List<Double>> one : series.entrySet()) {
      String colour = COLOURS.get(number % COLOURS.size());
      StringBuilder points = new StringBuilder();
      for (int i = 0; i < batches.size(); i++) {
        double x = x(batches.get(i), batches);
        double y = y(one.getValue().get(i), top);
        points.append(format("%.1f,%.1f ", x, y));
        svg.append(format("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>%n", x, y, colour));
      }
      svg.append(
          format(
              "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>%n",
              points.toString().trim(), colour));
      svg.append(legend(++number, colour, one.getKey()));
    }
    return svg.append("</svg>\n").toString();
  }

  private static String legend(int number, String colour, String name) {
    int y = TOP + 10 + number * 20;
    return line(WIDTH - RIGHT + 12, y - 4, WIDTH - RIGHT + 34, y - 4, colour, " stroke-width=\"2\"")
        + format("<text x=\"%d\" y=\"%d\">%s</text>%n", WIDTH - RIGHT + 40, y, name);
  }

  private static String line(
      double x1, double y1, double x2, double y2, String colour, String more) {
    return format(
        "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"%s/>%n",
        x1, y1, x2, y2, colour, more);
  }

  private static double x(int batch, List<Integer> batches) {
    double first = Math.log(batches.get(0));
    double span = Math.log(batches.get(batches.size() - 1)) - first;
    double share = span == 0 ? 0.5 : (Math.log(batch) - first) / span;
    return LEFT + share * (WIDTH - LEFT - RIGHT);
  }

  private static double y(double rate, double top) {
    return HEIGHT - BOTTOM - rate / top * (HEIGHT - TOP - BOTTOM);
  }

  /** The next of 1, 2, 2.5 and 5 times a power of ten, times the number of ticks. */
  private static double roundedUp(double most) {
    double step = Math.pow(10, Math.floor(Math.log10(Math.max(1, most) / TICKS)));
    for (double factor : new double[] {1, 2, 2.5, 5}) {
      if (step * factor * TICKS >= most) {
        return step * factor * TICKS;
      }
    }
    return step * 10 * TICKS;
  }

  private static String format(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
