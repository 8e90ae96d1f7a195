package dev.sluice.target.yugabytedb.workers;

import java.util.Optional;
import java.util.OptionalDouble;

/**
 * How busy a server of a cluster is, by its own report. Immutable.
 *
 * @param node its address, or its id
 * @param processors the percentage of its processors' time that is used
 * @param memoryShort whether it has little memory left
 */
record NodeLoad(String node, int processors, boolean memoryShort) {
  private static final String ANSWERED = "OK";

  private static final int LEAST_MEMORY_PERCENT = 10;

  /**
   * What a server reports, as text; null for a value that it does not report.
   *
   * @param user the fraction of the processors' time that programs use, 1 for all of it
   * @param system the fraction that the operating system uses
   * @param total the machine's memory in bytes
   * @param available what is left of it; 0 if the operating system does not report it
   * @param used what the server's process uses
   * @param softLimit above it the process begins to reject writes
   */
  record Said(
      String user, String system, String total, String available, String used, String softLimit) {}

  /** Empty if the server has not answered, or does not report how busy its processors are. */
  static Optional<NodeLoad> of(String node, String status, Said said) {
    OptionalDouble user = number(said.user());
    OptionalDouble system = number(said.system());
    return ANSWERED.equals(status) && user.isPresent() && system.isPresent()
        ? Optional.of(
            new NodeLoad(
                node,
                (int) Math.round(100 * (user.getAsDouble() + system.getAsDouble())),
                isMemoryShort(said)))
        : Optional.empty();
  }

  private static boolean isMemoryShort(Said said) {
    double total = number(said.total()).orElse(0);
    double available = number(said.available()).orElse(0);
    double softLimit = number(said.softLimit()).orElse(0);
    return total > 0 && available > 0 && 100 * available < LEAST_MEMORY_PERCENT * total
        || softLimit > 0 && number(said.used()).orElse(0) > softLimit;
  }

  private static OptionalDouble number(String text) {
    try {
      double number = text == null ? -1 : Double.parseDouble(text);
      return number >= 0 && number < Double.POSITIVE_INFINITY
          ? OptionalDouble.of(number)
          : OptionalDouble.empty();
    } catch (NumberFormatException e) {
      return OptionalDouble.empty();
    }
  }

  @Override
  public String toString() {
    return node + " " + processors + " %" + (memoryShort ? " and short of memory" : "");
  }
}
