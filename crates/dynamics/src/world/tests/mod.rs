mod contacts;
mod robots;
mod rolling;
