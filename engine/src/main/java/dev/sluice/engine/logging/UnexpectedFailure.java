package dev.sluice.engine.logging;

import ch.qos.logback.classic.pattern.ThrowableProxyConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;

/** Writes the stack trace of an unexpected failure, and nothing of an expected one. */
public final class UnexpectedFailure extends ThrowableProxyConverter {
  @Override
  public String convert(ILoggingEvent event) {
    return StackTraces.areShown(event) ? super.convert(event) : "";
  }
}
