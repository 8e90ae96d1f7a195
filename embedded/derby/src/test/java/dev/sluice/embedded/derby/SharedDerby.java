package dev.sluice.embedded.derby;

/** The server that the tests of a JVM share, one after the other. Threadsafe. */
final class SharedDerby {
  private static EmbeddedDerby server;

  private SharedDerby() {}

  static synchronized EmbeddedDerby server() {
    if (server == null) {
      EmbeddedDerby started = EmbeddedDerby.start();
      Runtime.getRuntime().addShutdownHook(new Thread(started::close));
      server = started;
    }
    return server;
  }
}
