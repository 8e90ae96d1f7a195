package dev.sluice.demo.workload;

/**
 * The initial number of rows of the shop. Immutable.
 *
 * @param warehouses the scale
 */
public record ShopScale(int warehouses) {
  static final int DISTRICTS = 10;
  static final int ITEMS = 5_000;
  static final int CUSTOMERS = 200;
  static final int ORDERS = 200;
  static final int LINES = 8;

  public ShopScale {
    if (warehouses < 1 || warehouses > 1_000) {
      throw new IllegalArgumentException(
          "a scale of " + warehouses + " warehouses; expected 1 to 1000");
    }
  }
}
